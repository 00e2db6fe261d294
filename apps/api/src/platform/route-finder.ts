import { ARCHIVE_TYPE, FILE_TYPE, FORM_TYPE, ROUTES, type Route } from '@hcp/contracts';

const JSON_TYPE = 'application/json';

interface Known {
  readonly pattern: RegExp;
  readonly method: string;
}

const KNOWN: readonly Known[] = [
  ...Object.values(ROUTES).map(({ method, path }: Route) => ({ method, pattern: patternOf(path) })),
  { method: 'GET', pattern: /^\/(?:docs)?$/ },
  { method: 'GET', pattern: /^\/openapi\.(?:json|yaml)$/ },
];

/** The methods that a path takes, sorted; empty where there is no such path. Nobody's rights count: the table is public. */
export function methodsOf(url: string): string[] {
  const path = url.split('?', 1)[0] ?? '';
  const found = KNOWN.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : []));
  return [...new Set(found.includes('GET') ? [...found, 'HEAD'] : found)].sort();
}

/** The type of body that a route takes; null for none. `path` as registered. */
export function bodyTypeOf(method: string, path: string): string | null {
  const route: Route | undefined = Object.values(ROUTES).find(
    (each: Route) => each.method === method && each.path === path,
  );
  return route ? typeOf(route) : JSON_TYPE;
}

function typeOf({ body }: Route): string | null {
  if (body === undefined) return null;
  if (body === 'archive') return ARCHIVE_TYPE;
  if (body === 'form') return FORM_TYPE;
  return body === 'file' ? FILE_TYPE : JSON_TYPE;
}

/** The root of a project's files is a path of its own with the slash; whoever leaves it out means the same. */
export function withFilesSlash(url: string): string {
  return url.replace(/^(\/v1\/projects\/[^/?#]+\/files)(?=\?|$)/, '$1/');
}

function patternOf(path: string): RegExp {
  const source = path
    .replaceAll(/[.]/g, '\\$&')
    .replaceAll(/:[a-z_]+/g, '[^/]+')
    .replace('*', '.*');
  return new RegExp(`^${source}$`);
}
