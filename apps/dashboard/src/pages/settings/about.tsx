import { Anchor, Badge, Button, Code, CopyButton, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Readiness } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import type { ReactNode } from 'react';
import { api } from '../../app/api.js';
import { useMe } from '../../app/session.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import classes from './layout.module.css';

const READINESS = { queryKey: ['readiness'], queryFn: () => api.health.ready() };

/** What is installed here, and the addresses that programs need. */
export function About() {
  const me = useMe();
  const { origin } = location;
  const health = useQuery(READINESS);
  return (
    <Page title="About this installation" about="Its version, its health, and the addresses that programs need.">
      <Paper withBorder p="lg" component="section" aria-label="Installation">
        <div className={classes['rows']}>
          <Fact label="Version">HCP {__HCP_VERSION__}</Fact>
          <Fact label="Your tenant">
            {escapeInvisible(me.tenant.name)} <Code>{me.tenant.slug}</Code>
          </Fact>
          <Fact label="Tenant id">
            <Copied value={me.tenant.id} what="the tenant id" />
          </Fact>
          <Loaded query={health}>{(ready) => <Health ready={ready} />}</Loaded>
        </div>
      </Paper>
      <Paper withBorder p="lg" component="section" aria-label="For programs">
        <Title order={2} size="h5" mb="md">
          For programs
        </Title>
        <div className={classes['rows']}>
          <Fact label="REST and SDK">
            <Copied value={origin} what="the base address" />
          </Fact>
          <Fact label="MCP">
            <Copied value={`${origin}/mcp`} what="the MCP address" />
          </Fact>
          <Fact label="API documentation">
            <Group gap="md">
              <Anchor href="/docs">Read and try</Anchor>
              <Anchor href="/openapi.json">OpenAPI document</Anchor>
            </Group>
          </Fact>
        </div>
      </Paper>
      <Paper withBorder p="lg" component="section" aria-label="Connect an agent">
        <Stack gap="md">
          <div>
            <Title order={2} size="h5">
              Connect an agent
            </Title>
            <Text size="sm" c="dimmed">
              An agent that speaks MCP finds every command it may run as a tool. It signs its person in, or uses an API
              key of its own, kept in a variable and not in the file.
            </Text>
          </div>
          <Snippet title="Claude Code, signing in" text={`claude mcp add --transport http hcp ${origin}/mcp`} />
          <Snippet title="Any client that takes JSON, with a key in HCP_TOKEN" text={mcpConfig(origin)} />
          <Snippet title="A product, by the SDK" text={sdkCode(origin)} />
        </Stack>
      </Paper>
    </Page>
  );
}

const mcpConfig = (origin: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        hcp: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: 'Bearer ${HCP_TOKEN}' } },
      },
    },
    null,
    2,
  );

const sdkCode = (origin: string): string =>
  `import { Hcp, remote } from '@hcp/sdk';\n\nconst hcp = Hcp.create({\n  runtime: remote({ url: '${origin}', token: process.env.HCP_TOKEN }),\n});`;

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes['setting']}>
      <Text size="sm" c="dimmed" w={150}>
        {label}
      </Text>
      <Text component="div" size="sm" className={classes['words']}>
        {children}
      </Text>
    </div>
  );
}

function Copied({ value, what }: { value: string; what: string }) {
  return (
    <Group gap="xs">
      <Code className="hcp-value">{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-label={`Copy ${what}`}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy} aria-label={`Copy: ${title}`}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <pre className="hcp-code">{text}</pre>
    </div>
  );
}

function Health({ ready }: { ready: Readiness }) {
  const { status, database, queue, sandbox } = ready;
  return (
    <>
      <Fact label="Health">
        <Group gap="xs">
          <Badge variant="light" color={status === 'ready' ? 'green' : 'red'}>
            {status === 'ready' ? 'ready' : 'not ready'}
          </Badge>
          <Text span size="sm" c="dimmed">
            database {database}, queue {queue}
          </Text>
        </Group>
      </Fact>
      <Fact label="Sandbox">
        {sandbox.driver ?? 'none: commands that wrap a program do not run'}
        <Text size="sm" c="dimmed">
          {sandbox.detail}
        </Text>
      </Fact>
    </>
  );
}
