import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, nameSchema, pageOf, pageQuerySchema, timestampSchema } from './common/primitives.js';
import { emailSchema } from './auth.js';
import { createdInvitationSchema } from './invitations.js';

export const createTenantSchema = z
  .strictObject({
    slug: z.string().regex(/^[a-z][a-z0-9-]{1,62}$/),
    name: nameSchema,
    owner_email: emailSchema.describe('Invited as the first owner.'),
  })
  .meta({ id: 'CreateTenant' });
export type CreateTenant = z.infer<typeof createTenantSchema>;

const tenantShape = {
  id: idSchema,
  slug: z.string(),
  name: z.string(),
  platform: z.boolean(),
  stopped_at: timestampSchema.nullable().describe('Set by the kill switch: nothing of it runs, nobody of it signs in.'),
  created_at: timestampSchema,
};

export const tenantSchema = z.object(tenantShape).meta({ id: 'Tenant' });
export type Tenant = z.infer<typeof tenantSchema>;

export const createdTenantSchema = z
  .object({ ...tenantShape, invitation: createdInvitationSchema })
  .meta({ id: 'CreatedTenant' });
export type CreatedTenant = z.infer<typeof createdTenantSchema>;

export const tenantPageSchema = pageOf(tenantSchema, 'TenantPage');

export const inviteOwnerSchema = z.strictObject({ email: emailSchema }).meta({ id: 'InviteOwner' });
export type InviteOwner = z.infer<typeof inviteOwnerSchema>;

/** SPEC T3: for platform operators. */
export const tenantRoutes = defineRoutes({
  tenants_create: {
    method: 'POST',
    path: '/v1/tenants',
    summary: 'Create a tenant and invite its first owner',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createTenantSchema,
    response: createdTenantSchema,
  },
  tenants_list: {
    method: 'GET',
    path: '/v1/tenants',
    summary: 'List tenants',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: pageQuerySchema,
    response: tenantPageSchema,
  },
  tenants_get: {
    method: 'GET',
    path: '/v1/tenants/:id',
    summary: 'Get a tenant',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: tenantSchema,
  },
  tenants_stop: {
    method: 'POST',
    path: '/v1/tenants/:id/stop',
    summary: 'Stop a tenant at once: its people, keys, queued and running runs',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: tenantSchema,
  },
  tenants_resume: {
    method: 'POST',
    path: '/v1/tenants/:id/resume',
    summary: 'Let a stopped tenant go on',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: tenantSchema,
  },
  tenants_invite_owner: {
    method: 'POST',
    path: '/v1/tenants/:id/owner-invitation',
    summary: 'Invite an owner anew, while the tenant has none',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    params: idParamsSchema,
    body: inviteOwnerSchema,
    response: createdInvitationSchema,
  },
});
