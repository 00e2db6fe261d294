import { Alert, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { HcpError } from '@hcp/sdk';
import type { InstalledPack, PackCheck, PackDetail } from '@hcp/contracts';
import { type ReactNode, useRef, useState } from 'react';
import { api } from '../../app/api.js';
import { Foreign } from '../../parts/foreign.js';
import { TextLink } from '../../parts/link.js';
import { Activate } from './activate.js';
import { notAPack, packFolder, type PackWithin, readArchive, SeveralPacks } from './archive.js';
import { type Contents, contentsOf } from './contents.js';
import { ContentsView } from './contents-view.js';
import type { Picked } from './drop.js';
import { DropZone } from './drop-zone.js';
import { Findings } from './findings.js';
import { installedPack, packsChanged } from './queries.js';
import { standing, uploadWords } from './upload-words.js';

interface Checked {
  readonly name: string;
  readonly archive: Uint8Array;
  readonly check: PackCheck;
  /** What is installed under its name. */
  readonly there: PackDetail | null;
  /** Null where it has errors. */
  readonly contents: Contents | null;
}

type Stage =
  | { readonly at: 'waiting' }
  | { readonly at: 'busy'; readonly words: string; readonly percent?: number }
  | ({ readonly at: 'checked'; readonly installing: boolean; readonly error?: unknown } & Checked)
  | { readonly at: 'installed'; readonly pack: InstalledPack }
  | { readonly at: 'failed'; readonly error: unknown };

/** Brings a pack in: read, checked, installed when a person says so, then activated when a person says so. */
export function Upload() {
  const [stage, setStage] = useState<Stage>({ at: 'waiting' });
  // What was dropped later wins over what is still being read.
  const turn = useRef(0);

  const take = async (picking: Promise<Picked | null>): Promise<void> => {
    const mine = ++turn.current;
    const show = (next: Stage): void => {
      if (mine === turn.current) setStage(next);
    };
    try {
      show({ at: 'busy', words: 'Reading what you chose…' });
      const picked = await picking;
      if (picked === null) return show({ at: 'waiting' });
      show({ at: 'checked', installing: false, ...(await check(picked, show)) });
    } catch (error) {
      show({ at: 'failed', error });
    }
  };

  const install = async (checked: Checked): Promise<void> => {
    setStage({ at: 'checked', installing: true, ...checked });
    try {
      const pack = await api.packs.install(checked.archive);
      setStage({ at: 'installed', pack });
      await packsChanged();
    } catch (error) {
      setStage({ at: 'checked', installing: false, error, ...checked });
    }
  };

  const leave = (): void => {
    turn.current += 1;
    setStage({ at: 'waiting' });
  };

  return (
    <Stack gap="sm">
      <DropZone
        busy={stage.at === 'busy' || (stage.at === 'checked' && stage.installing)}
        onPicked={(p) => void take(p)}
      />
      {stage.at === 'busy' && <Busy {...stage} />}
      {stage.at === 'failed' && (
        <Failed error={stage.error}>
          {stage.error instanceof SeveralPacks && (
            <Choice packs={stage.error.packs} onChosen={(pack) => void take(Promise.resolve(pack))} />
          )}
        </Failed>
      )}
      {stage.at === 'checked' && <Result checked={stage} onInstall={() => void install(stage)} onLeave={leave} />}
      {stage.at === 'installed' && <Installed pack={stage.pack} onDone={leave} />}
    </Stack>
  );
}

async function check(picked: Picked, show: (stage: Stage) => void): Promise<Checked> {
  const name = 'archive' in picked ? picked.archive.name : picked.name;
  const archive =
    'archive' in picked
      ? await readArchive(picked.archive)
      : await packFolder(picked.files, (done, of) =>
          show({ at: 'busy', words: `Packing ${String(done)} of ${String(of)} files…`, percent: (done / of) * 100 }),
        );
  show({ at: 'busy', words: `Checking ${size(archive.length)}…`, percent: 100 });
  const answer = await api.packs.check(archive);
  // Without it there are only errors of what would follow from it.
  if (answer.findings.some(({ code, path }) => code === 'M001' && path.startsWith('manifest.json'))) throw notAPack();
  const contents = answer.pack === null ? null : await contentsOf(archive);
  const there = answer.pack === null ? null : await installedPack(answer.pack.pack_id);
  return { name, archive, check: answer, there, contents };
}

const size = (bytes: number): string =>
  bytes < 2 ** 20 ? `${String(Math.ceil(bytes / 1024))} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function Busy({ words, percent = 0 }: { words: string; percent?: number }) {
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        {words}
      </Text>
      <Progress value={percent} size="sm" aria-label="Progress" animated />
    </div>
  );
}

function Failed({ error, children }: { error: unknown; children?: ReactNode }) {
  const { title, next } = uploadWords(error);
  return (
    <Alert color={error instanceof SeveralPacks ? 'blue' : 'red'} variant="light" role="alert" title={title}>
      <Foreign text={next} />
      {children}
    </Alert>
  );
}

/** The packs of a folder that holds several. */
function Choice({ packs, onChosen }: { packs: readonly PackWithin[]; onChosen: (pack: PackWithin) => void }) {
  return (
    <Group gap="xs" mt="sm" role="group" aria-label="Choose one of them">
      {packs.map((pack) => (
        <Button key={pack.name} size="xs" variant="default" maw="100%" onClick={() => onChosen(pack)}>
          <Foreign text={pack.name} />
        </Button>
      ))}
    </Group>
  );
}

interface ResultProps {
  readonly checked: Checked & { readonly installing: boolean; readonly error?: unknown };
  readonly onInstall: () => void;
  readonly onLeave: () => void;
}

function Result({ checked, onInstall, onLeave }: ResultProps) {
  const { name, check, there, contents, installing, error } = checked;
  const { pack, findings } = check;
  const errors = findings.filter(({ level }) => level === 'error').length;
  const stands = pack && standing(pack, there);
  const may_install = stands?.may_install === true;
  return (
    <Paper withBorder p="lg" component="section" aria-label="Check">
      <Stack gap="md">
        <div role="status">
          <Title order={2} size="h4" className="hcp-value">
            {pack ? `${pack.pack_id} ${pack.version}` : <Foreign text={name} />}
          </Title>
          <Text size="sm">{stands?.words ?? cannotWords(errors)}</Text>
        </div>
        {contents && <ContentsView contents={contents} />}
        <Findings findings={findings} />
        {findings.length === 0 && (
          <Text size="sm" c="dimmed">
            The check found nothing to mend.
          </Text>
        )}
        {error !== undefined && <InstallFailed error={error} />}
        <Group gap="xs">
          {stands && !stands.may_install && stands.installed ? (
            <TextLink to="/packs/$pack_id" params={{ pack_id: pack.pack_id }}>
              See {pack.pack_id}
            </TextLink>
          ) : (
            <Button onClick={onInstall} loading={installing} disabled={!may_install}>
              {pack ? `Install ${pack.pack_id} ${pack.version}` : 'Install'}
            </Button>
          )}
          <Button variant="default" onClick={onLeave} disabled={installing}>
            Close
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const cannotWords = (errors: number): string =>
  `It cannot be installed while ${errors === 1 ? 'an error stands' : `${String(errors)} errors stand`}. Mend ${errors === 1 ? 'it' : 'them'} and drop the pack again.`;

/** A pack that changed between its check and its install, or rules that did: the API has the last word. */
function InstallFailed({ error }: { error: unknown }) {
  const errors = error instanceof HcpError ? (error.problem?.errors ?? []) : [];
  return (
    <>
      <Failed error={error} />
      {errors.map(({ path, message }) => (
        <Text key={`${path} ${message}`} size="sm">
          <Foreign text={`${path}: ${message}`} />
        </Text>
      ))}
    </>
  );
}

function Installed({ pack: { pack_id, version, digest }, onDone }: { pack: InstalledPack; onDone: () => void }) {
  const [activating, setActivating] = useState(false);
  const [active, setActive] = useState<string | null>(null);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Installed">
      <Stack gap="sm" align="flex-start">
        <div role="status">
          <Title order={2} size="h4">
            {pack_id} {version} is {active === null ? 'installed' : `active in ${active}`}
          </Title>
          <Text size="sm" c="dimmed" className="hcp-value">
            {active === null ? 'Nothing runs by it yet: it counts once you activate it. ' : ''}
            {digest}
          </Text>
        </div>
        <Group gap="xs">
          {active === null && <Button onClick={() => setActivating(true)}>Activate…</Button>}
          <TextLink to="/packs/$pack_id" params={{ pack_id }}>
            See {pack_id}
          </TextLink>
          <Button variant="default" onClick={onDone}>
            Done
          </Button>
        </Group>
      </Stack>
      {activating && (
        <Activate pack_id={pack_id} version={version} onClose={() => setActivating(false)} onActive={setActive} />
      )}
    </Paper>
  );
}
