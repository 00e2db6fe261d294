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
  const filters = encodeURIComponent(JSON.stringify({ label: [LABEL] }));
  const listed = await engine.call('GET', `/containers/json?all=1&filters=${filters}`);
  if (!Array.isArray(listed.body)) throw new Error('the docker daemon does not list its containers');
  let reaped = 0;
  for (const container of listed.body as unknown[]) {
    const id = at(container, 'Id');
    const name = String(at(container, 'Names', 0)).replace(/^\//, '');
    const owner = at(container, 'Labels', LABEL_OWNER);
    const ends = Number(at(container, 'Labels', LABEL_ENDS));
    const gone = typeof owner === 'string' && isOrphan(owner);
    if (typeof id !== 'string' || !(gone || leftovers.has(name) || now_s > ends + GRACE_S)) continue;
    if (!(await removeContainer(engine, id))) continue;
    leftovers.delete(name);
    reaped += 1;
  }
  return reaped;
}

/** Kills and removes; true when it is gone. `container` is an id or a name. */
export async function removeContainer(engine: Engine, container: string): Promise<boolean> {
  const { status } = await engine.call('DELETE', `/containers/${container}?force=1&v=1`);
  return status === 204 || status === 200 || status === 404;
}
