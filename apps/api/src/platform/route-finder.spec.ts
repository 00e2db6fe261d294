import { describe, expect, it } from 'vitest';
import { bodyTypeOf, methodsOf, withFilesSlash } from './route-finder.js';

describe('methodsOf', () => {
  it.each([
    ['/v1/projects', ['GET', 'HEAD', 'POST']],
    ['/v1/projects/x?limit=1', ['DELETE', 'GET', 'HEAD', 'PUT']],
    ['/v1/exec', ['POST']],
    ['/v1/projects/x/files/a/b', ['DELETE', 'GET', 'HEAD', 'PUT']],
    ['/.well-known/jwks.json', ['GET', 'HEAD']],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/wwell-known/jwks.json', []],
    ['/v1/projects/', []],
    ['/v1/nothing', []],
  ])('%s', (url, methods) => expect(methodsOf(url)).toEqual(methods));
});

describe('bodyTypeOf', () => {
  it.each([
    ['POST', '/v1/packs', 'application/gzip'],
    ['PUT', '/v1/projects/:id/files/*', 'application/octet-stream'],
    ['POST', '/v1/projects', 'application/json'],
    ['DELETE', '/v1/projects/:id', null],
  ])('%s %s', (method, path, type) => expect(bodyTypeOf(method, path)).toBe(type));
});

describe('withFilesSlash', () => {
  it.each([
    ['/v1/projects/x/files', '/v1/projects/x/files/'],
    ['/v1/projects/x/files?recursive=1', '/v1/projects/x/files/?recursive=1'],
    ['/v1/projects/x/files/a', '/v1/projects/x/files/a'],
    ['/v1/projects/x/files/', '/v1/projects/x/files/'],
    ['/v1/projects/files', '/v1/projects/files'],
    ['/v1/projects?x=/v1/projects/x/files', '/v1/projects?x=/v1/projects/x/files'],
  ])('%s', (url, whole) => expect(withFilesSlash(url)).toBe(whole));
});
