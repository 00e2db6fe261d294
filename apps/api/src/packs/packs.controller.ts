import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  activatePackSchema,
  deactivatePackQuerySchema,
  getPackQuerySchema,
  DEFAULT_PAGE_SIZE,
  packParamsSchema,
  packVersionParamsSchema,
  rollbackPackSchema,
  pageQuerySchema,
  skillQuerySchema,
  type ActivatePack,
  type DeactivatePackQuery,
  type GetPackQuery,
  type InstalledPack,
  type PackActivation,
  type PackCheck,
  type PackDetail,
  type PackSummary,
  type Page,
  type PageQuery,
  type RollbackPack,
  type Skill,
  type SkillQuery,
} from '@hcp/contracts';
import { bindingAvailability, bindingWays, type BindingAvailability } from '@hcp/bindings';
import type { Caller, Pack } from '@hcp/core';
import { Database, type Tx } from '@hcp/database';
import {
  activatePack,
  checkArchive,
  deactivatePack,
  deleteVersion,
  getPack,
  installPack,
  listPacks,
  packSkill,
  rollbackPack,
} from '@hcp/packs';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { cursorOf, keyOfCursor } from './cursor.js';
import { checkAnswer, packActivation, packDetail, packSummary } from './pack-answer.js';
import { orProblem } from './pack-problem.js';

type PackParams = { pack_id: string };
type VersionParams = PackParams & { version: string };

/** Packs (SPEC P5-P9). What a route asks is held anywhere (`scoped`); the use case decides for the very pack and scope. */
@Controller()
export class PacksController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('packs_check', { scoped: true })
  async check(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<PackCheck> {
    return checkAnswer(await checkArchive(archive(body), { platform: caller.platform }));
  }

  @Route('packs_install', { scoped: true })
  async install(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<InstalledPack> {
    const { pack_id, version, digest, findings } = orProblem(
      await installPack(this.db, caller, archive(body), new Date()),
    );
    return { pack_id, version, digest, findings: [...findings] };
  }

  @Route('packs_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<PackSummary>> {
    const page = { limit: query.limit ?? DEFAULT_PAGE_SIZE, after: keyOfCursor(query.cursor) };
    return this.db.tenant(caller.tenant_id, async (tx) => {
      const { items, next } = await listPacks(tx, caller, page, new Date());
      const summaries: PackSummary[] = [];
      for (const view of items) summaries.push(packSummary(view, await credential(tx, caller, view.pack)));
      return { items: summaries, next_cursor: cursorOf(next) };
    });
  }

  @Route('packs_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packParamsSchema }) { pack_id }: PackParams,
    @Query({ schema: getPackQuerySchema }) { version }: GetPackQuery,
  ): Promise<PackDetail> {
    return this.db.tenant(caller.tenant_id, async (tx) => {
      const found = await getPack(tx, caller, pack_id, new Date(), version);
      if (!found) throw notFound();
      const ways = await bindingWays(tx, caller.tenant_id, found.pack);
      return packDetail(found, await credential(tx, caller, found.pack), ways);
    });
  }

  @Route('packs_skill')
  async skill(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packParamsSchema }) { pack_id }: PackParams,
    @Query({ schema: skillQuerySchema }) query: SkillQuery,
  ): Promise<Skill> {
    const wanted = { pack_id, full: query.full === '1' };
    const found = await this.db.tenant(caller.tenant_id, (tx) => packSkill(tx, caller, wanted, new Date()));
    if (!found) throw notFound();
    return found;
  }

  @Route('packs_delete_version', { scoped: true })
  async deleteVersion(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packVersionParamsSchema }) params: VersionParams,
  ): Promise<void> {
    orProblem(await deleteVersion(this.db, caller, params, new Date()));
  }

  @Route('packs_activate', { scoped: true })
  async activate(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packParamsSchema }) { pack_id }: PackParams,
    @Body({ schema: activatePackSchema }) { version, digest, project_id }: ActivatePack,
  ): Promise<PackActivation> {
    const target = {
      pack_id,
      project_id: project_id ?? null,
      ...(version !== undefined && { version }),
      ...(digest !== undefined && { digest }),
    };
    return packActivation(orProblem(await activatePack(this.db, caller, target, new Date())));
  }

  @Route('packs_rollback', { scoped: true })
  async rollback(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packParamsSchema }) { pack_id }: PackParams,
    @Body({ schema: rollbackPackSchema }) { from_version, project_id }: RollbackPack,
  ): Promise<PackActivation> {
    const target = { pack_id, project_id: project_id ?? null, ...(from_version !== undefined && { from_version }) };
    return packActivation(orProblem(await rollbackPack(this.db, caller, target, new Date())));
  }

  @Route('packs_deactivate', { scoped: true })
  async deactivate(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packParamsSchema }) { pack_id }: PackParams,
    @Query({ schema: deactivatePackQuerySchema }) { project_id }: DeactivatePackQuery,
  ): Promise<void> {
    orProblem(await deactivatePack(this.db, caller, { pack_id, project_id: project_id ?? null }, new Date()));
  }
}

const credential = (tx: Tx, caller: Caller, pack: Pack): Promise<BindingAvailability | null> =>
  bindingAvailability(tx, caller, pack, { project_id: caller.session.project_id, now: new Date() });

/** The platform's parser gives a Buffer for the archive types alone. */
function archive(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new ProblemError(415, 'unsupported_media_type', 'send the tar.gz itself as application/gzip');
}
