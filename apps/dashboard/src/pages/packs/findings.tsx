import { Badge, Button, Code, CopyButton, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { escapeInvisible, FINDING_CODES } from '@hcp/core';
import type { PackCheck } from '@hcp/contracts';
import { escapeLines } from '../../app/format.js';
import { Foreign } from '../../parts/foreign.js';

type Finding = PackCheck['findings'][number];

const ABOUT: Readonly<Record<string, string>> = {
  ...FINDING_CODES,
  A001: 'the archive cannot be read safely, so nothing in it was looked at',
  M090: 'a file is too large',
  M091: 'a file is no text',
  M092: 'the program of the pack cannot be executed',
};

/** What the check found, what stands against the install first. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const of = (level: Finding['level']): Finding[] => findings.filter((finding) => finding.level === level);
  const [errors, warnings] = [of('error'), of('warning')];
  return (
    <>
      {errors.length > 0 && <Level title={`Errors (${String(errors.length)})`} findings={errors} />}
      {warnings.length > 0 && <Level title={`Suggestions (${String(warnings.length)})`} findings={warnings} />}
    </>
  );
}

function Level({ title, findings }: { title: string; findings: readonly Finding[] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {title}
      </Title>
      <Paper withBorder>
        <ul className="hcp-list" aria-label={title}>
          {findings.map((finding, index) => (
            <li key={index} className="hcp-row">
              <One finding={finding} />
            </li>
          ))}
        </ul>
      </Paper>
    </Stack>
  );
}

function One({ finding: { code, level, path, message, fix } }: { finding: Finding }) {
  const [file = '', pointer] = path.split('#');
  const about = ABOUT[code];
  return (
    <Stack gap={6}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge variant="light" color={level === 'error' ? 'red' : 'yellow'}>
          {code}
        </Badge>
        <div>
          <Text size="sm" fw={500}>
            <Foreign text={message} />
          </Text>
          {about !== undefined && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
      </Group>
      <Text size="sm" className="hcp-value">
        in <Code>{escapeInvisible(file)}</Code>
        {pointer !== undefined && (
          <>
            {' at '}
            <Code>{escapeInvisible(pointer)}</Code>
          </>
        )}
      </Text>
      {fix !== undefined && <Fix text={fix} />}
    </Stack>
  );
}

/** The exact text that mends it. */
function Fix({ text }: { text: string }) {
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" c="dimmed">
          To mend it
        </Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <pre className="hcp-code">{escapeLines(text)}</pre>
    </div>
  );
}
