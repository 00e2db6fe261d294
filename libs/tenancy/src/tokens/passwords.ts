import { hash, verify } from '@node-rs/argon2';

/** argon2id with the parameters that OWASP's password storage cheat sheet gives first: 19 MiB, 2 passes, 1 lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** argon2 takes time by length too; longer ones are refused before. */
export const MAX_PASSWORD_LENGTH = 1024;

let dummy: Promise<string> | undefined;

/** @returns a PHC string */
export async function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}

/**
 * Checks a password. Without a hash (unknown or disabled person) the same work is done against a dummy, so that
 * neither the answer nor its time tells whether the person exists.
 */
export async function verifyPassword(password: string, password_hash: string | null): Promise<boolean> {
  if (password.length > MAX_PASSWORD_LENGTH) return false;
  dummy ??= hashPassword('no person has this password');
  const matches = await verify(password_hash ?? (await dummy), password).catch(() => false);
  return password_hash !== null && matches;
}
