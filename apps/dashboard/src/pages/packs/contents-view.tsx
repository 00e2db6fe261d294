import { Stack, Text } from '@mantine/core';
import { escapeInvisible } from '@hcp/core';
import { bytes } from '../../app/format.js';
import { Foreign } from '../../parts/foreign.js';
import type { Contents } from './contents.js';
import classes from './packs.module.css';

/** What would be installed, before anybody says yes to it. */
export function ContentsView({ contents }: { contents: Contents }) {
  const { name, description, commands, writes, files, bytes: size } = contents;
  const facts: [string, string][] = [
    ['Commands', commandWords(commands.length, writes)],
    ['Runs', runsWords(contents)],
    ['Reaches', reachesWords(contents)],
    ['Its files', `${String(files)} ${files === 1 ? 'file' : 'files'}, ${bytes(size)}`],
  ];
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600}>
          <Foreign text={name} />
        </Text>
        <Text size="sm" className="hcp-value">
          <Foreign text={description} />
        </Text>
      </div>
      <dl className={classes['facts']} aria-label="What it is">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="hcp-value">{escapeInvisible(value)}</dd>
          </div>
        ))}
      </dl>
    </Stack>
  );
}

function runsWords({ kind, bin }: Contents): string {
  if (bin !== null) return bin;
  if (kind === 'composite') return 'commands of other packs';
  return kind === 'openapi' ? 'no program: it calls an API' : 'no program';
}

function reachesWords({ kind, hosts }: Contents): string {
  if (hosts.length > 0) return hosts.join(', ');
  if (kind === 'composite') return 'what the commands that it runs reach';
  return kind === 'openapi' ? 'the API of its openapi.json' : 'no network';
}

const MAX_NAMED = 8;

function commandWords(count: number, writes: readonly string[]): string {
  const all = `${String(count)} ${count === 1 ? 'command' : 'commands'}`;
  if (writes.length === 0) return count === 0 ? 'none' : `${all}, none of which writes`;
  const more = writes.length - MAX_NAMED;
  const named = writes.slice(0, MAX_NAMED).join(', ');
  return `${all}; ${String(writes.length)} of them ${writes.length === 1 ? 'writes' : 'write'}: ${named}${more > 0 ? ` and ${String(more)} more` : ''}`;
}
