import { join } from 'node:path';
import { api } from '../api.mjs';
import { packArchive } from './pack-archive.mjs';

const PROJECT = 'demo';
const PACKS = ['ledger', 'transit', 'notes'];

const AGENT_GRANTS = [
  { capability: 'verb.exec.read' },
  { capability: 'verb.exec.write', pack_id: 'ledger' },
  { capability: 'verb.exec.write', pack_id: 'notes' },
];
const SERVICE_GRANTS = [{ capability: 'verb.exec.read' }];

/**
 * Fills the demo tenant as its owner, by the API's own routes. What is there already is left, so that a start that was
 * cut short goes on.
 * @param {{ url: string, packs_dir: string, people: Awaited<ReturnType<import('./people.mjs').seedPeople>> }} options
 */
export async function seedDemo({ url, packs_dir, people }) {
  const { access_token } = await api(url).post('/v1/auth/token', {
    email: people.owner.email,
    password: people.owner.password,
  });
  const owner = api(url, access_token);

  const agent_id = await ensureAgent(owner, { name: 'agent', kind: 'agent', acts_for_me: true }, AGENT_GRANTS);
  const service_id = await ensureAgent(owner, { name: 'service', kind: 'service' }, SERVICE_GRANTS);
  const project_id = await ensureProject(owner);
  for (const principal_id of [people.owner.principal_id, people.approver.principal_id, agent_id, service_id]) {
    await owner.put(`/v1/projects/${project_id}/members/${principal_id}`);
  }
  for (const pack_id of PACKS) {
    await owner.post('/v1/packs', await packArchive(join(packs_dir, pack_id)), 'application/gzip');
    await owner.put(`/v1/packs/${pack_id}/activation`, {});
  }
  return {
    project_id,
    agent: { api_key: await newKey(owner, agent_id, 'demo agent') },
    service: { api_key: await newKey(owner, service_id, 'demo service') },
  };
}

async function ensureAgent(owner, agent, grants) {
  const present = (await owner.all('/v1/agents')).find((one) => one.name === agent.name && !one.disabled);
  const { id } = present ?? (await owner.post('/v1/agents', agent));
  const held = (await owner.all('/v1/grants')).filter((grant) => grant.principal_id === id);
  for (const grant of grants) {
    const has = held.some((one) => one.capability === grant.capability && one.pack_id === grant.pack_id);
    if (!has) await owner.post('/v1/grants', { principal_id: id, ...grant });
  }
  return id;
}

async function ensureProject(owner) {
  const present = (await owner.all('/v1/projects')).find((project) => project.name === PROJECT);
  return (present ?? (await owner.post('/v1/projects', { name: PROJECT }))).id;
}

/** Keys are shown once; those of a start that was cut short are worth nothing any more. */
async function newKey(owner, principal_id, name) {
  for (const key of await owner.all('/v1/api-keys')) {
    if (key.principal_id === principal_id && key.name === name && key.revoked_at === null) {
      await owner.delete(`/v1/api-keys/${key.id}`);
    }
  }
  return (await owner.post('/v1/api-keys', { name, principal_id })).key;
}
