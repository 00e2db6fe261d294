import { EnvError } from '@hcp/contracts';
import { RootKeyCare, RootKeyMissing } from '@hcp/tenancy';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';

/**
 * Nothing is served while a root key is missing that something in the database needs (SPEC B3).
 * @throws RootKeyMissing
 */
export async function checkRootKeys(app: NestFastifyApplication): Promise<void> {
  const told = await app.get(RootKeyCare).check();
  if (!told) app.get(Logger).warn('the KMS cannot be asked: what needs a key is refused until it answers', 'start');
}

/** What to print about an error that ended the start: variables and ids of keys, never a value. */
export function startError(error: unknown): string {
  const named = error instanceof EnvError || error instanceof RootKeyMissing;
  return named ? error.message : String((error as Error).stack);
}
