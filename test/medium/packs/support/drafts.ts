import { packArchive } from '../../../support/packs.js';

const BIN = '#!/usr/bin/env node\nconsole.log("{}")\n';

/** A pack with a read, a write and a write that always asks; `note` makes the content differ. */
export function toolArchive(pack_id = 'tool', version = '1.0.0', note = ''): Promise<Buffer> {
  const preview = { kind: 'removal', title: 'Wipe', fields: { what: 'all' } };
  return packArchive({
    pack_id,
    version,
    bin: `${BIN}// ${note}\n`,
    commands: {
      look: { description: 'Look.', cli: [pack_id, 'look'] },
      put: { description: 'Put.', cli: [pack_id, 'put'], policy: { operation: 'write' } },
      wipe: { description: 'Wipe.', cli: [pack_id, 'wipe'], preview, policy: { operation: 'write', confirm: true } },
    },
  });
}
