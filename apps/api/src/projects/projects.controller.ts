import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createProjectSchema,
  idParamsSchema,
  pageQuerySchema,
  projectMemberParamsSchema,
  updateProjectSchema,
  type CreateProject,
  type Page,
  type PageQuery,
  type Project,
  type ProjectDetail,
  type UpdateProject,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import {
  addProjectMember,
  createProject,
  deleteProject,
  getProject,
  listProjects,
  removeProjectMember,
  renameProject,
} from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class ProjectsController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('projects_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createProjectSchema }) body: CreateProject,
  ): Promise<Project> {
    return unwrap(await createProject(this.db, caller, body));
  }

  @Route('projects_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<Project>> {
    return unwrap(await listProjects(this.db, caller, query));
  }

  @Route('projects_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<ProjectDetail> {
    return unwrap(await getProject(this.db, caller, id));
  }

  @Route('projects_update')
  async rename(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: updateProjectSchema }) body: UpdateProject,
  ): Promise<Project> {
    return unwrap(await renameProject(this.db, caller, id, body));
  }

  @Route('projects_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await deleteProject(this.db, caller, id));
  }

  @Route('projects_add_member', { scoped: true })
  async addMember(
    @CurrentCaller() caller: Caller,
    @Param({ schema: projectMemberParamsSchema }) { id, principal_id }: { id: string; principal_id: string },
  ): Promise<void> {
    unwrap(await addProjectMember(this.db, caller, id, principal_id));
  }

  @Route('projects_remove_member', { scoped: true })
  async removeMember(
    @CurrentCaller() caller: Caller,
    @Param({ schema: projectMemberParamsSchema }) { id, principal_id }: { id: string; principal_id: string },
  ): Promise<void> {
    unwrap(await removeProjectMember(this.db, caller, id, principal_id));
  }
}
