import type { SenseEvent, SenseSource } from '@hcp/contracts';
import { packArchive, type PackDraft } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, type Stack } from '../../support/stack.js';

/** Prints what its file says, or what it was made to say. */
export const SAYS = (text: string): string => `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`;
/** Prints `events.json` of the folder that it runs in. */
export const READS = '#!/bin/sh\ncat events.json\n';

export const event = (key: string, more: object = {}) => ({
  ...{ kind: 'disk_low', severity: 'warning', subject: 'disk', message: `${key} is nearly full`, key },
  ...more,
});
export const print = (...events: object[]): string => JSON.stringify({ events });

/** A pack of one source, `look`, and what it prints. */
export function sourcePack(draft: Partial<PackDraft> & Pick<PackDraft, 'pack_id' | 'bin'>): Promise<Buffer> {
  const { pack_id } = draft;
  return packArchive({
    kind: 'sense_only',
    commands: { look: { description: 'Looks.', cli: [pack_id, 'look'] } },
    ...draft,
  });
}

export const installSource = async (
  stack: Stack,
  token: string,
  draft: Partial<PackDraft> & Pick<PackDraft, 'pack_id' | 'bin'>,
): Promise<void> => void (await install(stack, token, await sourcePack(draft)));

export async function list(stack: Stack, token: string, query = ''): Promise<SenseEvent[]> {
  const answer = await stack.call<{ items: SenseEvent[] }>('GET', `/v1/sense${query}`, { token });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.items;
}

/** Of one kind, once there are any. */
export async function waitFor(
  stack: Stack,
  token: string,
  what: string,
  look: (events: readonly SenseEvent[]) => boolean,
): Promise<SenseEvent[]> {
  let found: SenseEvent[] = [];
  await eventually(what, async () => look((found = await list(stack, token))), 30_000);
  return found;
}

export const setSource = (stack: Stack, token: string, pack_id: string, body: object = { enabled: true }) =>
  stack.call<SenseSource & { code?: string; detail?: string }>('PUT', `/v1/sense/sources/${pack_id}`, { token, body });

/** The next tick is now. */
export function due(stack: Stack, tenant_id: string, pack_id: string): Promise<unknown> {
  return stack.database.db.tenant(tenant_id, (tx) =>
    tx.senseSource.updateMany({ where: { tenant_id, pack_id }, data: { next_at: new Date(Date.now() - 1000) } }),
  );
}

export const looks = (stack: Stack, tenant_id: string, pack_id: string) =>
  stack.database.db.tenant(tenant_id, (tx) =>
    tx.run.findMany({ where: { tenant_id, pack_id, sense_source_id: { not: null } }, orderBy: { id: 'asc' } }),
  );

/** Once a look more than now has ended; while one has not, a tick starts no other. */
export async function nextLook(stack: Stack, tenant_id: string, pack_id: string) {
  let before = 0;
  await eventually(
    `the looks so far of ${pack_id} end`,
    async () => {
      const runs = await looks(stack, tenant_id, pack_id);
      before = runs.length;
      return runs.every(({ finished_at }) => finished_at !== null);
    },
    30_000,
  );
  await due(stack, tenant_id, pack_id);
  let last: Awaited<ReturnType<typeof looks>>[number] | undefined;
  await eventually(
    `look ${String(before + 1)} of ${pack_id}`,
    async () => {
      const runs = await looks(stack, tenant_id, pack_id);
      last = runs.at(-1);
      return runs.length > before && last !== undefined && last.finished_at !== null;
    },
    30_000,
  );
  return last;
}
