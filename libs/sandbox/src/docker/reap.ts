import { isOrphan } from '../host/label.js';
import { LABEL, LABEL_ENDS, LABEL_OWNER } from './container.js';
import { at, type Engine } from './engine.js';

/** How long after its end a run's container may still be its own worker's affair. */
const GRACE_S = 60;

/**
 * Kills and removes containers whose worker is dead, whatever became of them, those past their time, which nobody looks after
 * any more, and `leftovers` by name (SPEC S3). Answers how many.
 */
export async function reapContainers(engine: Engine, leftovers: Set<string>, now_s: number): Promise<number> {
  let reaped = 0;
  const gone = new Set(leftovers);
  for (const container of await listContainers(engine, LABEL)) {
    const id = at(container, 'Id');
    const name = String(at(container, 'Names', 0)).replace(/^\//, '');
    const owner = at(container, 'Labels', LABEL_OWNER);
    const ends = Number(at(container, 'Labels', LABEL_ENDS));
    gone.delete(name);
    const orphan = typeof owner === 'string' && isOrphan(owner);
    if (typeof id !== 'string' || !(orphan || leftovers.has(name) || now_s > ends + GRACE_S)) continue;
    if (!(await removeContainer(engine, id))) continue;
    leftovers.delete(name);
    reaped += 1;
  }
  for (const name of gone) leftovers.delete(name);
  return reaped;
}

/** Kills and removes all containers of a worker that is dead. */
export async function removeContainersOf(engine: Engine, owner: string): Promise<void> {
  const ids = (await listContainers(engine, `${LABEL_OWNER}=${owner}`)).map((container) => at(container, 'Id'));
  await Promise.all(ids.map((id) => removeContainer(engine, String(id)).catch(() => false)));
}

async function listContainers(engine: Engine, label: string): Promise<unknown[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
  const { body } = await engine.call('GET', `/containers/json?all=1&filters=${filters}`);
  if (!Array.isArray(body)) throw new Error('the docker daemon does not list its containers');
  return body as unknown[];
}

/** Kills and removes; true when it is gone. `container` is an id or a name. */
export async function removeContainer(engine: Engine, container: string): Promise<boolean> {
  const { status } = await engine.call('DELETE', `/containers/${container}?force=1&v=1`);
  return status === 204 || status === 200 || status === 404;
}
