import { HCP_CLI_PACK_ID, type Caller, type Finding, type Pack } from '@hcp/core';
import type { Database, Prisma, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditPackAct } from './audit.js';
import { checkArchive } from './check-archive.js';
import { packRefusal, type PackRefusal } from './refusal.js';
import { isAgent, publishProblem } from './rights.js';
import { isForeignKeyViolation } from './violations.js';

export interface InstalledPack {
  readonly ok: true;
  /** False where exactly this was installed before. */
  readonly created: boolean;
  readonly version_id: string;
  readonly pack_id: string;
  readonly version: string;
  readonly digest: string;
  /** Warnings; errors refuse the install. */
  readonly findings: readonly Finding[];
}

/** How often an install is tried: whoever has the pack_id still has it then. */
const ATTEMPTS = 3;

/**
 * Installs a pack from its tar.gz (SPEC P7). Installing activates nothing. In the platform tenant this publishes it for
 * every tenant, and takes `platform.manage`.
 */
export async function installPack(
  db: Database,
  caller: Caller,
  tar_gz: Buffer,
  now: Date,
): Promise<InstalledPack | PackRefusal> {
  if (isAgent(caller)) return packRefusal('human_only', 'agents do not install packs; ask a person');
  const checked = await checkArchive(tar_gz, { platform: caller.platform });
  if (!checked.ok) return checked;
  const { pack, findings } = checked;
  if (!pack) return packRefusal('invalid_pack', 'the check found errors', { findings });
  const { pack_id } = pack.manifest;
  if (pack_id === HCP_CLI_PACK_ID) return packRefusal('reserved_pack_id', `${pack_id} is part of the product`);
  const problem = publishProblem(caller, pack_id, now);
  if (problem) return problem;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.tenant(caller.tenant_id, (tx) => store(tx, caller, pack, tar_gz, findings));
    } catch (error) {
      // The database keeps a pack_id either for the platform or for tenants, also between two uploads at one moment. It
      // refuses too where the last version of that pack_id, somebody's, was deleted at this moment: then it is free now.
      // (A lock on the pack_id, taken before the version's, would deadlock with that delete, which takes them the other way.)
      if (!isForeignKeyViolation(error)) throw error;
      if (attempt === ATTEMPTS) return caller.platform ? takenByTenant(pack_id) : takenByPlatform(pack_id);
    }
  }
}

const takenByPlatform = (pack_id: string): PackRefusal =>
  packRefusal('reserved_pack_id', `${pack_id} is a pack of the platform; give yours another pack_id`);

/** Whose it is stays unsaid: an operator reads no tenant's packs. */
const takenByTenant = (pack_id: string): PackRefusal =>
  packRefusal('reserved_pack_id', `${pack_id} is in use for a tenant's own pack; publish under another pack_id`);

async function store(
  tx: Tx,
  caller: Caller,
  pack: Pack,
  tar_gz: Buffer,
  findings: readonly Finding[],
): Promise<InstalledPack | PackRefusal> {
  const { tenant_id } = caller;
  const { pack_id, version } = pack.manifest;
  if (!caller.platform) {
    const where = { pack_id, platform: true };
    if (await tx.packVersion.findFirst({ where, select: { id: true } })) return takenByPlatform(pack_id);
  }
  // The insert itself decides who was first: whatever else is committed at the same time, the digest is compared below.
  const { count } = await tx.packVersion.createMany({
    data: [
      {
        tenant_id,
        id: uuidv7(),
        platform: caller.platform,
        pack_id,
        version,
        digest: pack.digest,
        manifest: pack.manifest,
        surface: pack.surface as Prisma.InputJsonObject,
        policy: pack.policy,
        skill: pack.skill,
        archive: new Uint8Array(tar_gz),
        created_by: caller.principal.id,
      },
    ],
    skipDuplicates: true,
  });
  const row = await tx.packVersion.findUniqueOrThrow({
    where: { tenant_id_pack_id_version: { tenant_id, pack_id, version } },
    select: { id: true, digest: true },
  });
  if (row.digest !== pack.digest) {
    return packRefusal(
      'version_conflict',
      `${pack_id} ${version} is installed with another content; raise the version`,
    );
  }
  if (count > 0) {
    const details = { digest: pack.digest, version_id: row.id };
    await auditPackAct(tx, caller, { action: 'pack.install', pack_id, version, project_id: null, details });
  }
  return { ok: true, created: count > 0, version_id: row.id, pack_id, version, digest: pack.digest, findings };
}
