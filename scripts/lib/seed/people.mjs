import { randomBytes, randomUUID } from 'node:crypto';

/** The one part of the demo that no route can do: who may sign in to a database that has nobody yet. */

export const DEMO_TENANT = 'demo';
export const PLATFORM_TENANT = 'platform';

const password = () => randomBytes(18).toString('base64url');

/**
 * Makes the demo and the platform tenant with the people in them, or gives people who are there new passwords: it runs
 * when dev.json, the only place that holds passwords, is not there.
 * @param {import('@hcp/database').Database} db
 * @param {(password: string) => Promise<string>} hashPassword
 * @param {{ tenant_id: string, platform_tenant_id: string }} ids  kept in the state folder, so that a second try finds them
 */
export async function seedPeople(db, hashPassword, ids) {
  await ensureTenant(db, ids.tenant_id, { slug: DEMO_TENANT, name: 'Demo', platform: false });
  await ensureTenant(db, ids.platform_tenant_id, { slug: PLATFORM_TENANT, name: 'Platform', platform: true });
  const person = (tenant_id, name, roles, grants = []) =>
    ensurePerson(db, hashPassword, { tenant_id, name, email: `${name.toLowerCase()}@demo.example`, roles, grants });
  return {
    owner: await person(ids.tenant_id, 'Owner', ['owner']),
    approver: await person(ids.tenant_id, 'Approver', ['approver', 'member']),
    operator: await person(ids.platform_tenant_id, 'Operator', ['owner'], ['platform.manage', 'fleet.run']),
  };
}

async function ensureTenant(db, id, fields) {
  await db.tenant(id, async (tx) => {
    if ((await tx.tenant.findUnique({ where: { id } })) === null) await tx.tenant.create({ data: { id, ...fields } });
  });
}

async function ensurePerson(db, hashPassword, { tenant_id, name, email, roles, grants }) {
  const fresh = password();
  const password_hash = await hashPassword(fresh);
  const user = await db.global((tx) =>
    tx.user.upsert({
      where: { email },
      create: { id: randomUUID(), email, name, password_hash },
      update: { password_hash },
    }),
  );
  const principal_id = await db.tenant(tenant_id, async (tx) => {
    const present = await tx.principal.findFirst({ where: { tenant_id, user_id: user.id } });
    if (present) return present.id;
    const id = randomUUID();
    await tx.principal.create({ data: { tenant_id, id, kind: 'human', name, user_id: user.id } });
    for (const role of roles) {
      await tx.roleAssignment.create({ data: { tenant_id, id: randomUUID(), principal_id: id, role } });
    }
    for (const capability of grants) {
      await tx.grant.create({ data: { tenant_id, id: randomUUID(), principal_id: id, capability } });
    }
    return id;
  });
  return { email, password: fresh, principal_id };
}
