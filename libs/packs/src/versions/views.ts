import { bindingFamilies, HCP_CLI_PACK_ID, skillLead, type Caller, type Manifest, type Pack } from '@hcp/core';
import { principalNames, type Tx } from '@hcp/database';
import { activeVersion } from '../facts/load-facts.js';
import { packOfVersion } from '../facts/pack-cache.js';
import { readable } from '../facts/readable.js';
import { HCP_CLI_PACK } from '@hcp/pack-files';
import { seesPack } from './rights.js';
import { byVersionDescending, latestOf } from './semver-order.js';

/** A pack with its versions, newest first. */
export interface PackView {
  readonly pack_id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: Manifest['kind'];
  /** Published by the platform for every tenant, or part of the product. */
  readonly platform: boolean;
  /** Whether some of its commands run with a stored credential. */
  readonly needs_binding: boolean;
  /** The service that such a credential is for. */
  readonly provider: string | null;
  /** By its kill switch. */
  readonly stopped: boolean;
  readonly command_count: number;
  /** `created_by` null: the platform, whose people are nobody in a tenant. */
  readonly versions: readonly {
    version: string;
    digest: string;
    created_at: string;
    created_by: string | null;
    created_by_name: string | null;
  }[];
  /** `project_id` null: in the whole tenant. `activated_by` null: it came with the product. */
  readonly activations: readonly {
    project_id: string | null;
    version: string;
    activated_at: string;
    activated_by: string | null;
    activated_by_name: string | null;
  }[];
}

/** What {@link PackView} says, and the pack itself: of the version asked for, else of the active one, else of the latest. */
export interface PackDetailView extends PackView {
  readonly pack: Pack;
}

export interface SkillView {
  readonly pack_id: string;
  readonly version: string;
  /** Markdown; null where the pack has none. */
  readonly skill: string | null;
}

/** The day hcp-cli's version came with the product; it is no row with a time of its own. */
const HCP_CLI_DAY = '2026-11-30T00:00:00.000Z';

const HCP_CLI_VIEW: PackView = {
  pack_id: HCP_CLI_PACK_ID,
  name: HCP_CLI_PACK.manifest.name,
  description: HCP_CLI_PACK.manifest.description,
  kind: HCP_CLI_PACK.manifest.kind,
  platform: true,
  needs_binding: bindingFamilies(HCP_CLI_PACK).length > 0,
  provider: HCP_CLI_PACK.manifest.binding.provider ?? null,
  stopped: false,
  command_count: Object.keys(HCP_CLI_PACK.surface.commands).length,
  versions: [
    {
      version: HCP_CLI_PACK.manifest.version,
      digest: HCP_CLI_PACK.digest,
      created_at: HCP_CLI_DAY,
      created_by: null,
      created_by_name: null,
    },
  ],
  activations: [
    {
      project_id: null,
      version: HCP_CLI_PACK.manifest.version,
      activated_at: HCP_CLI_DAY,
      activated_by: null,
      activated_by_name: null,
    },
  ],
};

const VERSION_FIELDS = {
  id: true,
  platform: true,
  pack_id: true,
  version: true,
  digest: true,
  created_at: true,
  created_by: true,
} as const;

export interface PageRequest {
  readonly limit: number;
  /** The last pack_id of the page before. */
  readonly after: string | null;
}

/** The packs the caller may see, by pack_id, hcp-cli among them. `next` is null on the last page. */
export async function listPacks(
  tx: Tx,
  caller: Caller,
  page: PageRequest,
  now: Date,
): Promise<{ readonly items: readonly PackDetailView[]; readonly next: string | null }> {
  const { tenant_id } = caller;
  const installed = await tx.packVersion.findMany({
    where: readable(tenant_id),
    select: { pack_id: true },
    distinct: ['pack_id'],
  });
  const ids = [HCP_CLI_PACK_ID, ...installed.map(({ pack_id }) => pack_id)]
    .filter((pack_id) => seesPack(caller, pack_id, now) && (page.after === null || pack_id > page.after))
    .sort();
  const shown = ids.slice(0, page.limit);
  const items: PackDetailView[] = [];
  for (const pack_id of shown) {
    const view = await viewOf(tx, caller, pack_id, await shownPack(tx, caller, pack_id));
    if (view) items.push(view);
  }
  return { items, next: ids.length > shown.length ? (shown.at(-1) ?? null) : null };
}

/**
 * One pack; null where it is not there, is another tenant's, or the caller may not see it.
 *
 * @param version whose commands; null too where that version is not installed
 */
export async function getPack(
  tx: Tx,
  caller: Caller,
  pack_id: string,
  now: Date,
  version?: string,
): Promise<PackDetailView | null> {
  if (!seesPack(caller, pack_id, now)) return null;
  const pack = await (version === undefined
    ? shownPack(tx, caller, pack_id)
    : installedPack(tx, caller.tenant_id, pack_id, version));
  return viewOf(tx, caller, pack_id, pack);
}

/** A pack's instructions: the lead, or with `full` all (SPEC P9). Null like {@link getPack}. */
export async function packSkill(
  tx: Tx,
  caller: Caller,
  query: { readonly pack_id: string; readonly full: boolean },
  now: Date,
): Promise<SkillView | null> {
  if (!seesPack(caller, query.pack_id, now)) return null;
  const pack = await shownPack(tx, caller, query.pack_id);
  if (!pack) return null;
  const { manifest, skill } = pack;
  return {
    pack_id: manifest.pack_id,
    version: manifest.version,
    skill: skill === null || query.full ? skill : skillLead(skill),
  };
}

async function viewOf(tx: Tx, caller: Caller, pack_id: string, pack: Pack | null): Promise<PackDetailView | null> {
  if (!pack) return null;
  if (pack_id === HCP_CLI_PACK_ID) return { ...HCP_CLI_VIEW, pack };
  const { tenant_id } = caller;
  const rows = await tx.packVersion.findMany({ where: { pack_id, ...readable(tenant_id) }, select: VERSION_FIELDS });
  const activations = await tx.packActivation.findMany({
    // A session that is bound to a project learns nothing of the others.
    where: { tenant_id, pack_id, ...projectScope(caller) },
    select: { project_id: true, version_id: true, activated_at: true, activated_by: true },
    orderBy: { activated_at: 'asc' },
  });
  const versions = new Map(rows.map((row) => [row.id, row.version]));
  const made_by = rows.map((row) => (row.platform ? null : row.created_by));
  const nameOf = await principalNames(tx, tenant_id, [...made_by, ...activations.map((each) => each.activated_by)]);
  const { name, description, kind } = pack.manifest;
  const platform = rows.some((row) => row.platform);
  return {
    pack_id,
    name,
    description,
    kind,
    platform,
    needs_binding: bindingFamilies(pack).length > 0,
    provider: pack.manifest.binding.provider ?? null,
    stopped: await isStopped(tx, tenant_id, pack_id, platform),
    command_count: Object.keys(pack.surface.commands).length,
    versions: [...rows].sort(byVersionDescending).map(({ version, digest, created_at, created_by, ...row }) => ({
      version,
      digest,
      created_at: created_at.toISOString(),
      created_by: row.platform ? null : created_by,
      created_by_name: row.platform ? null : nameOf(created_by),
    })),
    activations: activations.flatMap(({ project_id, version_id, activated_at, activated_by }) => {
      const version = versions.get(version_id);
      if (version === undefined) return [];
      const activated_by_name = nameOf(activated_by);
      return [{ project_id, version, activated_at: activated_at.toISOString(), activated_by, activated_by_name }];
    }),
    pack,
  };
}

/** By the tenant, or of a pack of the platform by an operator (SPEC T5). */
async function isStopped(tx: Tx, tenant_id: string, pack_id: string, platform: boolean): Promise<boolean> {
  const where = { pack_id, OR: [{ tenant_id }, ...(platform ? [{ platform: true }] : [])] };
  return (await tx.packStop.findFirst({ where, select: { pack_id: true } })) !== null;
}

function projectScope({ session }: Caller): object {
  return session.project_id === null ? {} : { OR: [{ project_id: null }, { project_id: session.project_id }] };
}

/** The version that is active for the caller's session, else the latest installed. */
async function shownPack(tx: Tx, caller: Caller, pack_id: string): Promise<Pack | null> {
  if (pack_id === HCP_CLI_PACK_ID) return HCP_CLI_PACK;
  const { tenant_id, session } = caller;
  const active = await activeVersion(tx, tenant_id, pack_id, session.project_id);
  if (active !== null) return packOfVersion(tx, tenant_id, active.version_id);
  const where = { pack_id, ...readable(tenant_id) };
  const rows = await tx.packVersion.findMany({ where, select: { id: true, version: true } });
  const latest = latestOf(rows);
  return latest ? packOfVersion(tx, tenant_id, latest.id) : null;
}

async function installedPack(tx: Tx, tenant_id: string, pack_id: string, version: string): Promise<Pack | null> {
  if (pack_id === HCP_CLI_PACK_ID) return version === HCP_CLI_PACK.manifest.version ? HCP_CLI_PACK : null;
  const where = { pack_id, version, ...readable(tenant_id) };
  const row = await tx.packVersion.findFirst({ where, select: { id: true } });
  return row && packOfVersion(tx, tenant_id, row.id);
}
