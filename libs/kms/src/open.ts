import { readFile } from 'node:fs/promises';
import { EnvError, type KmsVariables } from '@hcp/contracts';
import { awsKms } from './aws.js';
import { combinedKms } from './combined.js';
import { parseKeyFile } from './key-file.js';
import { localKms } from './local.js';
import type { Kms, KmsName, RootKeys } from './port.js';
import { vaultKms } from './vault.js';

/**
 * Opens the places of root keys that the environment names: `HCP_KMS` wraps, `HCP_KMS_ALSO` only open.
 * @throws EnvError naming the variable whose file is not what it must be
 */
export async function openKms(env: KmsVariables): Promise<Kms> {
  const [first, ...others] = [...new Set([env.HCP_KMS, ...env.HCP_KMS_ALSO])] as [KmsName, ...KmsName[]];
  return combinedKms([await openPlace(first, env), ...(await Promise.all(others.map((name) => openPlace(name, env))))]);
}

async function openPlace(name: KmsName, env: KmsVariables): Promise<RootKeys> {
  switch (name) {
    case 'local':
      return localKms(await localKeys(env));
    case 'vault':
      return vaultKms({
        address: given(env, 'HCP_VAULT_ADDR'),
        mount: env.HCP_VAULT_MOUNT,
        key: given(env, 'HCP_VAULT_KEY'),
        namespace: env.HCP_VAULT_NAMESPACE ?? null,
        token:
          env.HCP_VAULT_TOKEN === undefined
            ? { file: given(env, 'HCP_VAULT_TOKEN_FILE') }
            : { value: env.HCP_VAULT_TOKEN },
        ca: env.HCP_VAULT_CA_FILE === undefined ? null : await textOf('HCP_VAULT_CA_FILE', env.HCP_VAULT_CA_FILE),
      });
    case 'aws':
      return awsKms({
        key: given(env, 'HCP_AWS_KMS_KEY'),
        region: given(env, 'AWS_REGION'),
        endpoint: env.HCP_AWS_KMS_ENDPOINT ?? null,
      });
  }
}

async function localKeys(env: KmsVariables): Promise<[Buffer, ...Buffer[]]> {
  if (env.HCP_ROOT_KEY !== undefined) return [env.HCP_ROOT_KEY, ...env.HCP_ROOT_KEYS_ALSO];
  const keys = parseKeyFile(await textOf('HCP_ROOT_KEY_FILE', given(env, 'HCP_ROOT_KEY_FILE')));
  if (typeof keys === 'string') throw new EnvError(['HCP_ROOT_KEY_FILE'], [`HCP_ROOT_KEY_FILE ${keys}`]);
  return keys;
}

/** Checked with the environment already; asked here once more because the types cannot know. */
function given<N extends keyof KmsVariables>(env: KmsVariables, name: N): NonNullable<KmsVariables[N]> {
  const value = env[name];
  if (value === undefined || value === null) throw new EnvError([name], [`${name} is not set`]);
  return value;
}

async function textOf(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new EnvError([name], [`${name} names no file that can be read`]);
  }
}
