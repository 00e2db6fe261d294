import { z } from 'zod';
import { ANYONE, defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, nameSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { emailSchema, newPasswordSchema } from './auth.js';
import { roleNameSchema } from './roles.js';

/** An invitation is good this long. */
export const INVITATION_HOURS = 72;

export const createInvitationSchema = z
  .strictObject({
    email: emailSchema,
    role: roleNameSchema.describe('You must hold all that it gives.'),
    project_id: idSchema
      .optional()
      .describe('The role counts in this project alone, and the person becomes its member.'),
  })
  .meta({ id: 'CreateInvitation' });
export type CreateInvitation = z.infer<typeof createInvitationSchema>;

export const INVITATION_STATES = ['open', 'accepted', 'revoked', 'expired'] as const;

const invitationShape = {
  id: idSchema,
  email: z.string(),
  role: z.string(),
  project_id: idSchema.nullable(),
  state: z.enum(INVITATION_STATES),
  expires_at: timestampSchema,
  created_by: idSchema.nullable().describe('Null: a platform operator.'),
  created_at: timestampSchema,
};

export const invitationSchema = z.object(invitationShape).meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof invitationSchema>;

export const createdInvitationSchema = z
  .object({
    ...invitationShape,
    link: z
      .string()
      .nullable()
      .describe('The single-use link, shown once, where this API sends no mail; null where it was mailed.'),
  })
  .meta({ id: 'CreatedInvitation' });
export type CreatedInvitation = z.infer<typeof createdInvitationSchema>;

export const invitationPageSchema = pageOf(invitationSchema, 'InvitationPage');
export const listInvitationsQuerySchema = z.strictObject({
  state: z.enum(INVITATION_STATES).optional(),
  ...pageQuery,
});
export type ListInvitationsQuery = z.infer<typeof listInvitationsQuerySchema>;

export const acceptInvitationSchema = z
  .strictObject({
    token: z.string().min(1).max(200),
    name: nameSchema,
    password: newPasswordSchema.describe('A new one; your own where you have signed in to another tenant before.'),
  })
  .meta({ id: 'AcceptInvitation' });
export type AcceptInvitation = z.infer<typeof acceptInvitationSchema>;

export const acceptedInvitationSchema = z
  .object({ tenant_id: idSchema, principal_id: idSchema, email: z.string() })
  .meta({ id: 'AcceptedInvitation' });
export type AcceptedInvitation = z.infer<typeof acceptedInvitationSchema>;

/** SPEC T5. */
export const invitationRoutes = defineRoutes({
  invitations_create: {
    method: 'POST',
    path: '/v1/invitations',
    summary: 'Invite a person',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createInvitationSchema,
    response: createdInvitationSchema,
  },
  invitations_list: {
    method: 'GET',
    path: '/v1/invitations',
    summary: 'List invitations',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: listInvitationsQuerySchema,
    response: invitationPageSchema,
  },
  invitations_delete: {
    method: 'DELETE',
    path: '/v1/invitations/:id',
    summary: 'Revoke an invitation',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  invitations_accept: {
    method: 'POST',
    path: '/v1/invitations/accept',
    summary: 'Accept an invitation with the token of its link',
    requires: 'public',
    refuses: ANYONE,
    status: 201,
    body: acceptInvitationSchema,
    response: acceptedInvitationSchema,
  },
});
