import { Module } from '@nestjs/common';
import { Database } from '@hcp/database';
import { Keyring, RootKeyCare, SigningKeys, type KeyDeps } from '@hcp/tenancy';
import { RootKeysController } from './root-keys.controller.js';
import { KEY_DEPS } from './tokens.js';

@Module({
  controllers: [RootKeysController],
  providers: [
    {
      provide: KEY_DEPS,
      inject: [Database, Keyring, RootKeyCare, SigningKeys],
      useFactory: (db: Database, keyring: Keyring, root_keys: RootKeyCare, signing_keys: SigningKeys): KeyDeps => ({
        db,
        keyring,
        root_keys,
        signing_keys,
      }),
    },
  ],
})
export class RootKeysModule {}
