import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { Workspaces } from './index.js';

const workspaces = new Workspaces('/data/workspaces');
const owner = () => ({
  tenant_id: randomUUID(),
  principal_id: randomUUID(),
  pack_id: 'ledger',
  project_id: randomUUID(),
});

it('names the folder of a workspace after nothing, and always the same', () => {
  const one = owner();
  for (const mode of ['workspace', 'project'] as const) {
    const dir = String(workspaces.of(one, mode)?.dir);
    expect(dirname(dir)).toBe('/data/workspaces');
    expect(basename(dir)).toMatch(/^[0-9a-f]{64}$/);
    expect(new Workspaces('/data/workspaces').of(one, mode)?.dir).toBe(dir);
  }
  expect(workspaces.of(one, 'project')).toEqual(workspaces.project(one.tenant_id, one.project_id));
});

it('has one folder for each tenant, person, pack and project', () => {
  const one = owner();
  const other = owner();
  const owners = [
    one,
    ...(['tenant_id', 'principal_id', 'project_id'] as const).map((key) => ({ ...one, [key]: other[key] })),
    { ...one, pack_id: 'notes' },
  ];
  const dirs = (mode: 'workspace' | 'project') => new Set(owners.map((each) => workspaces.of(each, mode)?.dir)).size;
  expect(dirs('workspace')).toBe(4);
  expect(dirs('project')).toBe(3);
});
