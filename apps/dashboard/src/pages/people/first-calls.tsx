import { Button, Code, CopyButton, Group, SegmentedControl, Text } from '@mantine/core';
import { escapeInvisible } from '@hcp/core';
import { useEffect, useState } from 'react';
import { ShownOnce } from '../../parts/shown-once.js';
import { Section } from '../../parts/section.js';
import type { FirstCommand } from './first-command.js';

const WAYS = ['curl', 'hcpx', 'MCP'] as const;
type Way = (typeof WAYS)[number];

/** As one word of a shell. */
const quoted = (text: string): string => `'${escapeInvisible(text).replaceAll("'", String.raw`'\''`)}'`;

const TEXT: Record<Way, (url: string, key: string, command: FirstCommand | null) => string> = {
  curl: (url, key, command) =>
    [
      `# what it may run\ncurl -s ${url}/v1/commands \\\n  -H 'Authorization: Bearer ${key}'`,
      ...(command
        ? [
            `# run one\ncurl -s ${url}/v1/exec \\\n  -H 'Authorization: Bearer ${key}' \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(command))}`,
          ]
        : []),
    ].join('\n\n'),
  hcpx: (url, key) => `export HCP_URL=${url}\nexport HCP_TOKEN=${key}\nhcpx commands`,
  MCP: (url, key) =>
    JSON.stringify(
      { mcpServers: { hcp: { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${key}` } } } },
      null,
      2,
    ),
};

export interface FirstCallsProps {
  readonly secret: string;
  /** One that it may run. */
  readonly command: FirstCommand | null;
  readonly onDone: () => void;
}

/** The key, once, and how it is used. What is here is nowhere else, and gone with `onDone`. */
export function FirstCalls({ secret, command, onDone }: FirstCallsProps) {
  const [way, setWay] = useState<Way>('curl');
  const text = TEXT[way](location.origin, secret, command);
  useEffect(() => {
    window.scrollTo({ top: 0 });
  }, []);
  return (
    <>
      <ShownOnce
        title="Its key"
        secret={secret}
        next="Put it where the agent finds it, and nowhere that others read. Once it is lost, make another one and revoke this."
        onDone={onDone}
      />
      <Section title="A first call" about="With the key in it, so treat it like the key.">
        <Group>
          <SegmentedControl
            aria-label="How it calls"
            value={way}
            onChange={(value) => setWay(value)}
            data={[...WAYS]}
          />
        </Group>
        <Code block className="hcp-code">
          {text}
        </Code>
        <Group gap="sm">
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy this'}
              </Button>
            )}
          </CopyButton>
          <Text size="sm" c="dimmed">
            {way === 'MCP' ? 'For clients that take a JSON configuration.' : 'In a terminal.'}
          </Text>
        </Group>
      </Section>
    </>
  );
}
