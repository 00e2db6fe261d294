import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { BrowserSessions } from './browser-session.js';

const browsers = new BrowserSessions('https://hcp.example.com');

it('gives cookies of this host alone, over https alone', () => {
  const set: string[] = [];
  const reply = { header: (_name: string, lines: string[]) => set.push(...lines) } as unknown as FastifyReply;
  browsers.give(reply, { access_token: 'a', refresh_token: 'r', session_ends: new Date(Date.now() + 60_500) });
  browsers.clear(reply);
  const rest = 'HttpOnly; SameSite=Strict; Secure';
  expect(set).toEqual([
    `__Host-hcp-session=a; Path=/; Max-Age=60; ${rest}`,
    `__Host-hcp-renewal=r; Path=/; Max-Age=60; ${rest}`,
    `__Host-hcp-session=; Path=/; Max-Age=0; ${rest}`,
    `__Host-hcp-renewal=; Path=/; Max-Age=0; ${rest}`,
  ]);
});

it.each([
  ['POST', { origin: 'https://hcp.example.com', 'hcp-csrf': '1' }, true],
  ['POST', { origin: 'https://api', host: 'api', 'hcp-csrf': '1' }, true],
  ['POST', { origin: 'http://hcp.example.com', host: 'hcp.example.com', 'hcp-csrf': '1' }, false],
  ['POST', { origin: 'https://hcp.example.com' }, false],
  ['POST', { 'hcp-csrf': '1', 'sec-fetch-site': 'same-origin' }, false],
  ['GET', { 'hcp-csrf': '1' }, true],
  ['GET', { 'sec-fetch-site': 'same-origin' }, true],
  ['GET', { 'hcp-csrf': '1', 'sec-fetch-site': 'same-site' }, false],
  ['GET', {}, false],
])('knows its own page: %s %o', (method, headers, own) => {
  expect(browsers.fromOwnPage({ method, headers } as unknown as FastifyRequest)).toBe(own);
});
