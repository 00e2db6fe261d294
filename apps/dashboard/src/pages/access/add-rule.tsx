import { Autocomplete, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { CommandInfo, CreateAccessRule } from '@hcp/contracts';
import { escapeInvisible, OPERATIONS, type Operation, RULE_DECISIONS, type RuleDecision } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { FormError } from '../../parts/form-error.js';
import { Said } from '../../parts/said.js';
import { COMMANDS } from '../commands/queries.js';
import { formSchema } from '../commands/schema.js';
import classes from './access.module.css';
import { type Condition, conditionProblem, Conditions, whenOf } from './conditions.js';
import { accessChanged } from './queries.js';
import { ruleSentence } from './rule-sentence.js';

const LABEL: Record<RuleDecision, string> = { allow: 'runs without asking', ask: 'asks first', deny: 'never runs' };
const OPERATION: Record<Operation, string> = { read: 'it reads', write: 'it writes', connect: 'it connects' };
const EVERYBODY = 'tenant';
const OWN = 'own';
const PROJECT = 'project';

interface AddRuleProps {
  readonly manages: boolean;
  /** Whether people have rules of their own here. */
  readonly own: boolean;
  readonly project: string | null;
  readonly nameOf: (project_id: string) => string;
  readonly onClose: () => void;
}

/** Writes a rule, and reads it back as a sentence while it is written. */
export function AddRule({ manages, own, project, nameOf, onClose }: AddRuleProps) {
  const commands = useQuery(COMMANDS);
  const [match, setMatch] = useState('');
  const [decision, setDecision] = useState<RuleDecision>('ask');
  const [scope, setScope] = useState(manages ? (project === null ? EVERYBODY : PROJECT) : OWN);
  const [conditions, setConditions] = useState<readonly Condition[]>([]);
  const [op, setOp] = useState<Operation | null>(null);
  const [note, setNote] = useState('');
  const [unready, setUnready] = useState(false);
  const when = whenOf(conditions);
  const rule: CreateAccessRule = {
    match: match.trim(),
    decision,
    ...(when !== undefined && { when }),
    ...(op !== null && { op }),
    ...(note.trim() !== '' && { note: note.trim() }),
  };
  const add = useMutation({
    mutationFn: async () => {
      const place =
        scope === OWN ? { own: true as const } : scope === PROJECT && project ? { project_id: project } : {};
      const added = await api.access.createRule({ ...rule, ...place });
      await accessChanged();
      return added;
    },
    onSuccess: () => {
      setMatch('');
      setConditions([]);
      setOp(null);
      setNote('');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const bad = conditions.some((condition) => conditionProblem(condition) !== null);
    setUnready(bad);
    if (!bad) add.mutate();
  };
  const conditionPath = ({ compare, name }: Condition): string => `/when/${compare}/${name}`;
  const fields = ['/match', '/note', '/op', ...conditions.map(conditionPath)];
  return (
    <form onSubmit={submit} aria-label="Write a rule" className={classes['form']}>
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <Autocomplete
            label="Command"
            description="A command, a pack.* or *"
            required
            data-autofocus
            w={260}
            data={choicesOf(commands.data)}
            value={match}
            error={atField(add.error, '/match')}
            onChange={setMatch}
          />
          <Select
            label="What happens"
            description="To a call that fits"
            allowDeselect={false}
            w={200}
            data={RULE_DECISIONS.map((value) => ({ value, label: LABEL[value] }))}
            value={decision}
            onChange={(value) => value && setDecision(value)}
          />
          <Select
            label="Counts"
            description={scope === PROJECT ? 'A project only tightens' : 'For whom'}
            allowDeselect={false}
            w={200}
            data={[
              ...(manages ? [{ value: EVERYBODY, label: 'for everybody' }] : []),
              ...(manages && project !== null
                ? [{ value: PROJECT, label: `in ${escapeInvisible(nameOf(project))}` }]
                : []),
              ...(own ? [{ value: OWN, label: 'for your own calls' }] : []),
            ]}
            value={scope}
            onChange={(value) => value && setScope(value)}
          />
        </Group>
        <Stack gap="xs">
          <Text size="sm" fw={500}>
            Only where (optional)
          </Text>
          <Select
            aria-label="Only where"
            placeholder="whatever it does"
            clearable
            w={200}
            data={OPERATIONS.map((value) => ({ value, label: OPERATION[value] }))}
            value={op}
            error={atField(add.error, '/op')}
            onChange={setOp}
          />
          <Conditions
            value={conditions}
            names={argumentsOf(commands.data, match.trim())}
            onChange={setConditions}
            errorOf={(condition) =>
              (unready ? conditionProblem(condition) : null) ?? atField(add.error, conditionPath(condition))
            }
          />
        </Stack>
        <TextInput
          label="Note (optional)"
          description="Why, for whoever reads the rule later"
          maxLength={500}
          value={note}
          error={atField(add.error, '/note')}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        {rule.match !== '' && <Text size="sm">It says: {ruleSentence(rule)}.</Text>}
        <FormError error={add.error} fields={fields} />
        {add.isSuccess && (
          <Said warnings={add.data.warnings.map(({ message }) => message)}>
            {`The rule for ${escapeInvisible(add.data.match)} is written. It counts from the next call on.`}
          </Said>
        )}
        <Group gap="xs">
          <Button type="submit" loading={add.isPending}>
            Add the rule
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function choicesOf(commands: readonly CommandInfo[] = []): string[] {
  const packs = [...new Set(commands.map(({ pack_id }) => pack_id))];
  return [
    '*',
    ...packs.map((pack_id) => `${pack_id}.*`),
    ...commands.map((each) => `${each.pack_id}.${each.verb_key}`),
  ];
}

/** The arguments of the command, or of every command of the pack, that a rule is about. */
function argumentsOf(commands: readonly CommandInfo[] = [], match: string): string[] {
  const about = commands.filter(
    ({ pack_id, verb_key }) => match === `${pack_id}.${verb_key}` || match === `${pack_id}.*` || match === '*',
  );
  return [...new Set(about.flatMap(({ args }) => Object.keys(formSchema(args).properties ?? {})))].sort();
}
