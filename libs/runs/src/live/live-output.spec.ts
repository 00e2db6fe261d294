import { expect, it } from 'vitest';
import { LiveOutput, type LiveDeps } from './live-output.js';

it('touches nothing for a command that ends before its output was gathered', async () => {
  const touched: string[] = [];
  const deps = new Proxy({} as LiveDeps, { get: (_, name) => void touched.push(String(name)) });
  const live = new LiveOutput(deps, { tenant_id: 't', id: 'r' }, 'a');
  live.take('stdout', '{"ok":true}\n');
  expect(await live.end()).toBe(false);
  live.take('stdout', 'too late');
  expect(await live.end()).toBe(false);
  expect(touched).toEqual([]);
});
