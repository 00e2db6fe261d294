import type { Run } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { packArchive } from './packs.js';
import { eventually } from './process.js';
import { install, tenantWithOwner, type Person, type Stack } from './stack.js';

/** Each start of the program leaves one line in its private workspace, which is what counts effects here. */
const BIN = `#!/usr/bin/env node
const { appendFileSync, readFileSync, existsSync } = require('node:fs');
const [verb, name, ms] = process.argv.slice(2);
if (verb === 'count') {
  const lines = existsSync(name) ? readFileSync(name, 'utf8').split('\\n').filter(Boolean).length : 0;
  console.log(JSON.stringify({ lines }));
} else {
  appendFileSync(name, 'started\\n');
  setTimeout(() => console.log('{"done":true}'), Number(ms));
}
`;

const args = {
  type: 'object',
  properties: { name: { type: 'string' }, ms: { type: 'number' } },
  required: ['name'],
} as const;
const personal = { privacy: { land: 'personal' } } as const;
const cli = (verb: string) => ['effects', verb, '{{name}}', '{{ms}}'];

const PACK = {
  pack_id: 'effects',
  bin: BIN,
  binding: { family: 'local' },
  wrap: { workspace: { mode: 'workspace' } },
  commands: {
    write: { description: 'Leaves a line.', cli: cli('write'), args, policy: { operation: 'write', ...personal } },
    read: { description: 'Leaves a line, and is a read.', cli: cli('read'), args, policy: personal },
    once: { description: 'A read to be tried once.', cli: cli('once'), args, idempotent: false, policy: personal },
    count: { description: 'Counts.', cli: cli('count'), args, policy: personal },
  },
} as const;

export const after = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A tenant whose commands leave something to count, and its owner, who runs them. */
export class Effects {
  private constructor(
    private readonly stack: Stack,
    readonly tenant_id: string,
    readonly owner: Person,
  ) {}

  static async make(stack: Stack): Promise<Effects> {
    const { tenant_id, owner } = await tenantWithOwner(stack);
    await install(stack, owner.token, await packArchive(PACK));
    return new Effects(stack, tenant_id, owner);
  }

  async exec(verb_key: string, args: object, wait_ms = 60_000): Promise<ResultEnvelope> {
    const { body } = await this.stack.call<ResultEnvelope>('POST', '/v1/exec', {
      token: this.owner.token,
      body: { pack_id: 'effects', verb_key, args, wait_ms },
    });
    return body;
  }

  async run(id: string | null): Promise<Run> {
    return (await this.stack.call<Run>('GET', `/v1/runs/${String(id)}`, { token: this.owner.token })).body;
  }

  status(id: string | null, wanted: Run['status']): Promise<Run> {
    const look = async () => {
      const now = await this.run(id);
      return now.status === wanted ? now : null;
    };
    return eventually(`run is ${wanted}`, look, 50_000);
  }

  /** How often a program started with this name. */
  async lines(name: string): Promise<number> {
    const { result } = await this.exec('count', { name });
    return (result as { lines: number }).lines;
  }

  /** The program has started: its line is there, which no other worker can have written. */
  async started(id: string | null): Promise<void> {
    await this.status(id, 'running');
    await after(700);
  }
}
