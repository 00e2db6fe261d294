import { Stop } from './progress.mjs';

/**
 * The demo's way to the API: the same routes that everyone uses.
 * @param {string} url
 * @param {string} [token]
 */
export function api(url, token) {
  const call = async (method, path, body, type = 'application/json') => {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': type }),
    };
    const payload = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, { method, headers, body: payload });
    const text = await response.text();
    if (!response.ok) throw new Stop(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body, type) => call('POST', path, body, type),
    put: (path, body) => call('PUT', path, body),
    delete: (path) => call('DELETE', path),
    /** Every item of a list, page by page. */
    async all(path) {
      const items = [];
      let cursor = null;
      do {
        const query = cursor === null ? '?limit=200' : `?limit=200&cursor=${encodeURIComponent(cursor)}`;
        const page = await call('GET', `${path}${query}`);
        items.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return items;
    },
  };
}

/** How long after the API a worker may come up. */
const DRIVER_MS = 20_000;

/**
 * Waits until the API and a worker say that they can work; gives what they say of themselves.
 * @param {string} url
 * @param {() => void} check  throws when waiting is pointless
 */
export async function waitUntilReady(url, check) {
  const deadline = performance.now() + 120_000;
  let said = 'nothing';
  let driver_deadline = Infinity;
  while (performance.now() < deadline) {
    check();
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      const readiness = await response.json();
      said = JSON.stringify(readiness);
      if (response.ok && readiness.status === 'ready') {
        // Without a driver wraps are refused, which may be for good: that is shown, not waited for.
        driver_deadline = Math.min(driver_deadline, performance.now() + DRIVER_MS);
        if (readiness.sandbox.driver !== null || performance.now() > driver_deadline) return readiness;
      }
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Stop(`not ready after 120 s; /readyz last said ${said}`);
}
