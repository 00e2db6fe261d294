import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import {
  idParamsSchema,
  idSchema,
  nameSchema,
  pageOf,
  pageQuery,
  searchSchema,
  timestampSchema,
} from './common/primitives.js';

export const createAgentSchema = z
  .strictObject({
    name: nameSchema,
    kind: z.enum(['agent', 'service']),
    acts_for_me: z
      .boolean()
      .optional()
      .describe(
        'It acts for the calling human: then it may do what both may. Only that human can create or end the link.',
      ),
  })
  .meta({ id: 'CreateAgent' });
export type CreateAgent = z.infer<typeof createAgentSchema>;

export const agentSchema = z
  .object({
    id: idSchema.describe('Principal id.'),
    kind: z.enum(['agent', 'service']),
    name: z.string(),
    acts_for: idSchema.nullable(),
    disabled: z.boolean(),
    keys: z.number().int().nonnegative().describe('How many of its API keys are good now.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'Agent' });
export type Agent = z.infer<typeof agentSchema>;

export const agentPageSchema = pageOf(agentSchema, 'AgentPage');
export const listAgentsQuerySchema = z.strictObject({
  acts_for: idSchema.optional().describe('Those that act for this human.'),
  search: searchSchema.optional().describe('In names, without regard to case.'),
  ...pageQuery,
});
export type ListAgentsQuery = z.infer<typeof listAgentsQuerySchema>;

/** SPEC T2. */
export const agentRoutes = defineRoutes({
  agents_create: {
    method: 'POST',
    path: '/v1/agents',
    summary: 'Create an agent or a service',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createAgentSchema,
    response: agentSchema,
  },
  agents_list: {
    method: 'GET',
    path: '/v1/agents',
    summary: 'List agents and services: those that act for the caller, or all with access.manage',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 200,
    query: listAgentsQuerySchema,
    response: agentPageSchema,
  },
  agents_get: {
    method: 'GET',
    path: '/v1/agents/:id',
    summary: 'Get an agent or a service',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: agentSchema,
  },
  agents_act_for_me: {
    method: 'PUT',
    path: '/v1/agents/:id/acts-for',
    summary: 'Let it act for the calling human, and do only what both may',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  agents_delete: {
    method: 'DELETE',
    path: '/v1/agents/:id',
    summary: 'Disable an agent or a service',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  agents_end_acts_for: {
    method: 'DELETE',
    path: '/v1/agents/:id/acts-for',
    summary: 'End that it acts for the calling human',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
});
