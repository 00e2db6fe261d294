import { Code, Paper, Text } from '@mantine/core';
import type { AuditEvent } from '@hcp/contracts';
import type { ReactNode } from 'react';
import { duration, escapeLines, exactMoment, spaced } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { TextLink } from '../../parts/link.js';
import { Decision } from './decision.js';
import classes from './audit.module.css';
import { isUuid } from './search.js';

const WHO_SAID_YES: Readonly<Record<string, string>> = {
  agent: 'the agent itself',
  human: 'a person',
  rule: 'a rule',
  mode: 'the mode',
  policy: 'the pack’s policy',
};

/** Every field that says something, in words. */
export function EventFacts({ event }: { event: AuditEvent }) {
  const name = useNames();
  const facts: [string, ReactNode][] = [
    ['When', exactMoment(event.at)],
    ['What', event.action],
    ['Decision', event.decision === null ? null : <Decision event={event} />],
    ['Why', event.reason === null ? null : escapeLines(event.reason)],
    ['Code', event.code],
    [
      'Who',
      event.principal_id === null ? 'the system' : <Person id={event.principal_id} kind={event.principal_kind} />,
    ],
    ['Acting for', event.acts_for === null ? null : <Person id={event.acts_for} kind="human" />],
    ['Command', event.verb_key === null ? null : <Command event={event} />],
    ['Pack', event.verb_key === null ? event.pack_id : null],
    ['Version of the pack', event.pack_version],
    ['Does', event.operation],
    ['Runs in', event.land],
    ['Arguments given', event.arg_names.length === 0 ? null : event.arg_names.map(escapeLines).join(', ')],
    ['Digest of the arguments', event.args_digest],
    ['Credential', event.binding === null ? null : escapeLines(event.binding)],
    ['Mode', event.mode],
    ['Yes by', event.approved_by === null ? null : (WHO_SAID_YES[event.approved_by] ?? event.approved_by)],
    ['Run', event.run_id === null ? null : <RunLink id={event.run_id} />],
    ['Ran', event.ran === null ? null : event.ran ? 'yes' : 'no'],
    ['Exit code', event.exit_code === null ? null : String(event.exit_code)],
    ['Took', event.duration_ms === null ? null : duration(event.duration_ms)],
    ['On what', event.subject === null ? null : <Subject subject={event.subject} name={name} />],
    ['Project', event.project_id],
    ['Session', event.session_id],
    ['Details', event.details === null ? null : <Details details={event.details} />],
    ['Id of the event', event.id],
  ];
  return (
    <Paper withBorder p="lg" component="section" aria-label="The event">
      <dl className={classes['facts']}>
        {facts
          .filter(([, value]) => value !== null && value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="hcp-value">{value}</dd>
            </div>
          ))}
      </dl>
    </Paper>
  );
}

/** By name, with what else they did. */
function Person({ id, kind }: { id: string; kind: string | null }) {
  const name = useNames();
  return (
    <>
      {name(id, kind)}
      {kind === null ? '' : ` (${kind})`} ·{' '}
      <TextLink to="/audit" search={{ who: id }}>
        all their events
      </TextLink>
    </>
  );
}

function Command({ event: { pack_id, verb_key } }: { event: AuditEvent }) {
  if (pack_id === null || verb_key === null) return verb_key;
  return (
    <TextLink to="/commands/$pack_id/$verb_key" params={{ pack_id, verb_key }} preload={false}>
      {pack_id} {verb_key}
    </TextLink>
  );
}

const RunLink = ({ id }: { id: string }) => (
  <TextLink to="/runs/$id" params={{ id }} preload={false}>
    {id}
  </TextLink>
);

const ApprovalLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <TextLink to="/approvals/$id" params={{ id }} preload={false}>
    {children}
  </TextLink>
);

/** `approval:0190…`, as the log writes what an act touched. */
function Subject({ subject, name }: { subject: string; name: (id: string) => string }) {
  const at = subject.indexOf(':');
  const [kind, id] = [subject.slice(0, at), subject.slice(at + 1)];
  if (at > 0 && isUuid(id)) {
    if (kind === 'approval') return <ApprovalLink id={id}>approval {id}</ApprovalLink>;
    if (kind === 'run') return <RunLink id={id} />;
    if (kind === 'principal') return name(id);
    return `${spaced(kind)} ${id}`;
  }
  return escapeLines(subject);
}

function Details({ details }: { details: Readonly<Record<string, unknown>> }) {
  const { approval_id } = details;
  return (
    <>
      <Code block className="hcp-code">
        {escapeLines(JSON.stringify(details, null, 2))}
      </Code>
      {typeof approval_id === 'string' && isUuid(approval_id) && (
        <Text size="sm" mt={4}>
          <ApprovalLink id={approval_id}>The approval</ApprovalLink>
        </Text>
      )}
    </>
  );
}
