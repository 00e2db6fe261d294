import { EXIT } from '@hcp/core';
import { Hcp, HcpError, remote } from '@hcp/sdk';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { explain, Failure } from '../failure.js';
import { leaf, optionsOf } from './leaf.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do, where it is not ok. */
  readonly fix?: string;
}

export function registerDoctor(program: Command, context: Context): void {
  leaf(program, 'doctor', 'Check the address, the credentials, the API and its sandbox').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const checks = await examine(context, options);
      const ok = checks.every((check) => check.ok);
      context.exit_code = ok ? EXIT.ok : EXIT.failure;
      const { ui } = context;
      if (options.json === true) {
        ui.json({ ok, checks });
        return;
      }
      for (const check of checks) {
        const mark = check.ok ? ui.style('green', 'ok  ') : ui.style('red', 'FAIL');
        ui.line(`${mark}  ${check.name.padEnd(11)}  ${ui.safe(check.detail)}`);
        if (check.fix !== undefined) ui.line(`      what to do: ${ui.safe(check.fix)}`);
      }
    },
  );
}

/** In the order in which one needs the other; what cannot be looked at for want of an earlier one is left out. */
async function examine(context: Context, options: CommonOptions): Promise<Check[]> {
  const checks: Check[] = [];
  if (await context.store.isExposed()) {
    checks.push({
      name: 'store',
      ok: false,
      detail: `${context.store.path} can be read by others`,
      fix: `chmod 600 ${context.store.path}`,
    });
  }
  let url: string;
  try {
    url = await context.url(options);
    checks.push(addressCheck(url));
  } catch (error) {
    return [...checks, failed('address', error)];
  }
  const open = await Hcp.create({ runtime: remote({ url }) });
  try {
    await open.api.health.live();
    checks.push({ name: 'api', ok: true, detail: 'answers' });
  } catch (error) {
    return [...checks, failed('api', error)];
  }
  try {
    const ready = await open.api.health.ready();
    const parts = (['database', 'queue'] as const).filter((part) => ready[part] !== 'ok');
    checks.push(
      parts.length === 0
        ? { name: 'parts', ok: true, detail: 'database and queue are up' }
        : {
            name: 'parts',
            ok: false,
            detail: `not up: ${parts.join(', ')}`,
            fix: 'Ask who runs the API; its log says why.',
          },
      ready.sandbox.driver === null
        ? { name: 'sandbox', ok: false, detail: 'no driver: wraps do not run', fix: ready.sandbox.detail }
        : { name: 'sandbox', ok: true, detail: `${ready.sandbox.driver}: ${ready.sandbox.detail}` },
    );
  } catch (error) {
    checks.push(failed('parts', error));
  }
  try {
    const me = await (await context.hcp(options)).api.auth.me();
    const kind = me.is_agent ? `${me.principal.kind}, calls count as an agent’s` : me.principal.kind;
    checks.push({ name: 'credentials', ok: true, detail: `${me.principal.name} (${kind}) in ${me.tenant.name}` });
  } catch (error) {
    checks.push(failed('credentials', error));
  }
  return checks;
}

/** Credentials over plain http are fine only where they stay on this machine. */
function addressCheck(url: string): Check {
  const { protocol, hostname } = new URL(url);
  const local = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'https:' || local) return { name: 'address', ok: true, detail: url };
  return {
    name: 'address',
    ok: false,
    detail: `${url} sends credentials unencrypted`,
    fix: 'Use the https address of the API.',
  };
}

function failed(name: string, error: unknown): Check {
  const known = error instanceof HcpError ? explain(error) : error;
  if (known instanceof Failure) return { name, ok: false, detail: known.message, fix: known.hint };
  throw error;
}
