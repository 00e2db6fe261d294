import { parseArgs } from 'node:util';
import { Failure } from './failure.mjs';
import { git, PLAIN_DIFF } from './git.mjs';
import { parseStatus } from './status.mjs';
import { withView } from './view.mjs';

const FIELDS = ['id', 'parents', 'author', 'email', 'date', 'subject', 'body'];
const FORMAT = '--format=tformat:%H%x00%P%x00%an%x00%ae%x00%aI%x00%s%x00%b';
const string = { type: 'string' };

/** Names of commits never begin with a dash (the pack's schema), and could not be taken for an option here if they did. */
const selection = ({ ref = 'HEAD', path }) => ['--end-of-options', ref, '--', ...(path === undefined ? [] : [path])];

const commits = (view, count, values) => {
  const plain = ['-z', '--no-show-signature', '--no-color', '--no-mailmap', '--no-notes'];
  const parts = git(view, ['log', `--max-count=${count}`, ...plain, FORMAT, ...selection(values)]).split('\0');
  return Array.from({ length: Math.floor(parts.length / FIELDS.length) }, (_, row) => {
    const commit = Object.fromEntries(FIELDS.map((name, column) => [name, parts[row * FIELDS.length + column]]));
    return { ...commit, parents: commit.parents.split(' ').filter(Boolean), body: commit.body.trimEnd() };
  });
};

const COMMANDS = {
  log: {
    options: { ref: string, path: string, limit: string },
    run: (view, values) => ({
      commits: commits(view, values.limit ?? '20', values).map(({ body: _body, ...commit }) => commit),
    }),
  },
  status: {
    options: {},
    run: (view) =>
      parseStatus(
        git(view, ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=all']),
      ),
  },
  show: {
    options: { ref: string, path: string },
    run: (view, { ref, path }) => {
      const [commit] = commits(view, 1, { ref });
      if (!commit) throw new Failure('unknown_ref', 'names no commit');
      const shown = [
        'log',
        '--max-count=1',
        '--format=',
        '--patch',
        '--no-show-signature',
        '--no-notes',
        ...PLAIN_DIFF,
      ];
      return { commit, patch: git(view, [...shown, ...selection({ ref: commit.id, path })]) };
    },
  },
};

/** One command by the command line: results as JSON on stdout, errors on stderr; exit 0 done, 1 refused, 2 wrong usage. */
function main([verb, ...argv]) {
  try {
    const command = verb !== undefined && Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : null;
    if (!command) throw new Failure('usage', `one of ${Object.keys(COMMANDS).join(', ')}`);
    const { values } = read(argv, { ...command.options, repository: string, json: { type: 'boolean' } });
    const result = withView(values.repository ?? '.', (view) => command.run(view, values));
    console.log(JSON.stringify({ ok: true, verb, ...result }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(JSON.stringify({ ok: false, verb, code: error.code, error: error.message }));
    process.exitCode = error.code === 'usage' ? 2 : 1;
  }
}

function read(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: false });
  } catch {
    throw new Failure('usage', 'an option is unknown or has no value');
  }
}

main(process.argv.slice(2));
