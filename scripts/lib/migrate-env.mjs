import { z } from 'zod';
import { readEnvironment } from '@hcp/contracts';

/**
 * A connection string of one of the roles that migrations know by name, with a password.
 * @param {string} role
 */
const roleUrl = (role) =>
  z.string().refine(
    (text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, username, password, pathname } = new URL(text);
      return /^postgres(ql)?:$/.test(protocol) && username === role && password !== '' && pathname.length > 1;
    },
    { message: `must be postgresql://${role}:<password>@<host>/<database>` },
  );

const schema = z
  .object({
    OWNER_DATABASE_URL: roleUrl('hcp_owner'),
    SUPERUSER_DATABASE_URL: z
      .string()
      .refine((text) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol), {
        message: 'must be a URL that begins with postgresql://',
      })
      .optional(),
    DATABASE_URL: roleUrl('hcp_app').optional(),
    QUEUE_DATABASE_URL: roleUrl('hcp_queue').optional(),
  })
  .check(
    z.superRefine(
      ({ SUPERUSER_DATABASE_URL, DATABASE_URL }, context) => {
        if (SUPERUSER_DATABASE_URL === undefined || DATABASE_URL !== undefined) return;
        const message = 'must be set too, for the password of its role';
        context.addIssue({ code: 'custom', path: ['DATABASE_URL'], message });
      },
      { when: ({ value }) => typeof value === 'object' && value !== null },
    ),
  );

export const MIGRATE_ENV_NAMES = Object.keys(schema.shape);

/**
 * The settings of `scripts/migrate.mjs`.
 * @param {Readonly<Record<string, string | undefined>>} source
 * @throws EnvError naming every bad variable, never a value
 */
export const readMigrateEnv = (source) => readEnvironment(schema, source);
