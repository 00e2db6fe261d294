import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { Failure } from '../failure.js';
import { leaf, optionsOf } from './leaf.js';

/** Calls that wrapped nothing anew while keys are left, after which no more are made. */
const IDLE_CALLS = 3;

/** SPEC B3: for platform operators. */
export function registerRootKey(program: Command, context: Context): void {
  const root_key = program.command('root-key').description('See and change root keys, as a platform operator');

  leaf(root_key, 'status', 'Show which root keys are in use, and what they wrap').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { items } = await (await context.hcp(options)).api.rootKeys.get();
      if (options.json === true) {
        context.ui.json(items);
        return;
      }
      context.ui.table(
        ['ROOT KEY', 'WRAPS NOW', 'OPENS', 'DATA KEYS', 'SIGNING KEYS'],
        items.map((each) => [
          each.root_key_id,
          each.primary ? 'yes' : 'no',
          each.opens ? 'yes' : 'no',
          String(each.data_keys),
          String(each.signing_keys),
        ]),
      );
    },
  );

  leaf(root_key, 'rewrap', 'Wrap every key anew by the root key that wraps now; may be stopped and begun again').action(
    async (_options: unknown, command: Command) => rewrap(context, optionsOf(command)),
  );

  leaf(root_key, 'rotate-signing-key', 'Give the issuer another signing key').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const made = await (await context.hcp(options)).api.rootKeys.rotateSigningKey();
      if (options.json === true) context.ui.json(made);
      else context.ui.note(`signing key ${context.ui.safe(made.kid)} signs from ${made.signs_from}`);
    },
  );

  leaf(root_key, 'rotate-data-key <tenant>', 'Give a tenant another data key').action(
    async (tenant: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const made = await (await context.hcp(options)).api.rootKeys.rotateDataKey(tenant);
      if (options.json === true) context.ui.json(made);
      else context.ui.note(`data key ${made.version} seals from ${made.seals_from}`);
    },
  );
}

async function rewrap(context: Context, options: CommonOptions): Promise<void> {
  const { api } = await context.hcp(options);
  let total = 0;
  for (let idle = 0; ;) {
    const { primary, done, left } = await api.rootKeys.rewrap();
    total += done;
    if (left === 0) {
      if (options.json === true) context.ui.json({ primary, done: total, left });
      else context.ui.note(`${total} keys wrapped anew: root key ${context.ui.safe(primary)} wraps all`);
      return;
    }
    context.ui.note(`${total} keys wrapped anew, ${left} left`);
    idle = done === 0 ? idle + 1 : 0;
    if (idle === IDLE_CALLS) {
      throw new Failure('some keys could not be wrapped anew', 'Look at `hcpx root-key status` and at the API’s log.');
    }
  }
}
