import { HCP_CLI_PACK_ID, type Caller, type Finding, type Pack } from '@hcp/core';
import type { Database, Prisma, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditPackAct } from './audit.js';
import { checkArchive } from './check-archive.js';
import { packRefusal, type PackRefusal } from './refusal.js';
import { isAgent, manageProblem } from './rights.js';

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

/** Installs a pack from its tar.gz (SPEC P7). Installing activates nothing. */
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
  const problem = manageProblem(caller, { pack_id, project_id: null }, now);
  if (problem) return problem;
  return db.tenant(caller.tenant_id, (tx) => store(tx, caller, pack, tar_gz, findings));
}

async function store(
  tx: Tx,
  caller: Caller,
  pack: Pack,
  tar_gz: Buffer,
  findings: readonly Finding[],
): Promise<InstalledPack | PackRefusal> {
  const { tenant_id } = caller;
  const { pack_id, version } = pack.manifest;
  // The insert itself decides who was first: whatever else is committed at the same time, the digest is compared below.
  const { count } = await tx.packVersion.createMany({
    data: [
      {
        tenant_id,
        id: uuidv7(),
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
