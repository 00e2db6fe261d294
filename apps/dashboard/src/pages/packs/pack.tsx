import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { escapeInvisible } from '@hcp/core';
import type { PackDetail } from '@hcp/contracts';
import type { ReactNode } from 'react';
import { may, useMe } from '../../app/session.js';
import { Foreign } from '../../parts/foreign.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { ActiveIn } from './active-in.js';
import { kindWords, PackBadges } from './badges.js';
import { Commands } from './commands.js';
import { Credential } from './credential.js';
import classes from './packs.module.css';
import { packQuery } from './queries.js';
import { Skill } from './skill.js';
import { StopSwitch } from './stop.js';
import { Versions } from './versions.js';

const route = getRouteApi('/packs/$pack_id');
const OWN = 'hcp-cli';

export function PackPage() {
  const { pack_id } = route.useParams();
  const query = useQuery(packQuery(pack_id));
  return (
    <Page title={escapeInvisible(pack_id)} actions={<TextLink to="/packs">All packs</TextLink>}>
      <Loaded query={query}>{(pack) => <Body key={pack.pack_id} pack={pack} />}</Loaded>
    </Page>
  );
}

function Body({ pack }: { pack: PackDetail }) {
  const me = useMe();
  const manages = may(me, 'pack.install') && pack.pack_id !== OWN;
  const stops = (may(me, 'pack.install') || may(me, 'tenant.manage')) && pack.pack_id !== OWN;
  return (
    <Stack gap="lg">
      <Text className="hcp-value">
        <Foreign text={pack.description} />
      </Text>
      {pack.stopped && (
        <Alert color="red" variant="light" title="This pack is stopped">
          No run of it starts in the whole tenant, whatever is active.
        </Alert>
      )}
      <About pack={pack} stops={stops} />
      <Commands pack={pack} />
      <ActiveIn pack={pack} manages={manages} />
      <Versions pack={pack} manages={manages} />
      <Skill pack_id={pack.pack_id} />
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="hcp-value">{children}</dd>
    </div>
  );
}

const FILES: Record<NonNullable<PackDetail['wrap']>['workspace'], string> = {
  pack: 'its own files alone',
  project: 'the files of the project',
  workspace: 'a workspace for each person',
  ephemeral: 'an empty folder for each run',
};

function About({ pack, stops }: { pack: PackDetail; stops: boolean }) {
  const { name, kind, wrap, credential } = pack;
  return (
    <Paper withBorder p="lg" component="section" aria-label="About this pack">
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Group gap="xs" miw={0}>
            <Title order={2} size="h4">
              <Foreign text={name} />
            </Title>
            <PackBadges pack={pack} />
          </Group>
          <Group gap="xs">
            <TextLink to="/runs" search={{ pack_id: pack.pack_id }}>
              Its runs
            </TextLink>
            {stops && <StopSwitch pack={pack} />}
          </Group>
        </Group>
        <dl className={classes['facts']}>
          <Fact label="Kind">{kindWords(kind)}</Fact>
          {wrap && <Fact label="Runs">{escapeInvisible(wrap.bin)}</Fact>}
          {wrap && <Fact label="Works in">{FILES[wrap.workspace]}</Fact>}
          {wrap && <Fact label="Reaches">{wrap.network.length === 0 ? 'no network' : wrap.network.join(', ')}</Fact>}
          <Fact label="Needs">{credential ? <Credential credential={credential} /> : 'no credential'}</Fact>
        </dl>
      </Stack>
    </Paper>
  );
}
