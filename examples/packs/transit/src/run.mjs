// The same file lies in the packs ledger, notes and transit: a pack holds all that it runs, so none can share it.
import { parseArgs } from 'node:util';
import { Failure } from './state.mjs';

/**
 * Runs one of `commands` by the command line. A command is `{ usage, options, run }`, where `run({ values, words })`
 * gives the result. Results go to stdout, errors to stderr; both are one JSON document with --json.
 * Exit: 0 done, 1 refused, 2 wrong usage.
 */
export function main(program, commands) {
  const [verb, ...argv] = process.argv.slice(2);
  const json = process.argv.includes('--json');
  const command = verb !== undefined && Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (verb === '--help' || verb === 'help') {
    console.log(['Usage:', ...Object.values(commands).map(({ usage }) => `  ${program} ${usage}`)].join('\n'));
    return;
  }
  try {
    if (!command) throw new Failure('usage', `unknown command; one of ${Object.keys(commands).join(', ')}`);
    const { values, positionals } = parse(command, argv);
    const result = { ok: true, verb, ...command.run({ values, words: positionals }) };
    console.log(json ? JSON.stringify(result) : readable(result));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message } = error;
    console.error(
      json
        ? JSON.stringify({ ok: false, verb: command ? verb : null, code, error: message })
        : `${program}: ${message}`,
    );
    process.exitCode = code === 'usage' ? 2 : 1;
  }
}

function parse({ usage, options }, argv) {
  try {
    return parseArgs({ args: argv, options: { ...options, json: { type: 'boolean' } }, allowPositionals: true });
  } catch {
    throw new Failure('usage', `usage: ${usage}`);
  }
}

function readable({ ok: _ok, verb: _verb, ...rest }) {
  return Object.entries(rest)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join('\n');
}
