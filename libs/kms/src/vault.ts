import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { KeysUnavailable } from '@hcp/core';
import { safeFetch, type SafeAnswer } from '@hcp/egress';
import type { RootKeys } from './port.js';

export interface VaultConfig {
  /** `https://host:port`; plain http only to this machine, where an agent of Vault listens. */
  readonly address: string;
  /** Where the transit engine is mounted, such as `transit`. */
  readonly mount: string;
  /** An `aes256-gcm96` key. */
  readonly key: string;
  readonly namespace: string | null;
  /** The token itself, or a file that an agent of Vault keeps fresh. */
  readonly token: { readonly value: string } | { readonly file: string };
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca: string | null;
}

const MOVED = 'Vault cannot open this text: it was changed or moved';

/** In front of the key, because Vault before 1.13 passes associated data over in silence. */
const digestOf = (place: string): Buffer => createHash('sha256').update(place).digest();
const DIGEST_BYTES = 32;

type Operation = 'encrypt' | 'decrypt' | 'keys';

/** HashiCorp Vault's transit engine over its HTTP API: the root key never leaves Vault, which also keeps its versions. */
export function vaultKms(config: VaultConfig): RootKeys {
  const prefix = `vault:${config.mount}/${config.key}:v`;
  const owns = (id: string): boolean => id.startsWith(prefix) && /^[0-9]+$/.test(id.slice(prefix.length));
  const versions = async (): Promise<{ latest: number; oldest: number }> => {
    const data = dataOf(await send(config, 'keys'));
    const [latest, oldest] = [data['latest_version'], data['min_decryption_version']];
    if (typeof latest !== 'number' || typeof oldest !== 'number') throw oddAnswer();
    return { latest, oldest };
  };
  return {
    name: 'vault',
    owns,
    async wrap(plain, place) {
      const plaintext = Buffer.concat([digestOf(place), plain]).toString('base64');
      const text = { plaintext, associated_data: base64(place) };
      const { ciphertext } = dataOf(await send(config, 'encrypt', text));
      const version = versionOf(ciphertext);
      if (version === null) throw oddAnswer();
      return { bytes: Buffer.from(ciphertext as string, 'utf8'), root_key_id: `${prefix}${version}` };
    },
    async unwrap({ bytes, root_key_id }, place) {
      const ciphertext = bytes.toString('utf8');
      if (!owns(root_key_id) || root_key_id !== `${prefix}${versionOf(ciphertext) ?? ''}`) {
        throw new Error('wrapped by another root key');
      }
      const answer = await send(config, 'decrypt', { ciphertext, associated_data: base64(place) });
      if (answer.status === 400) throw new Error(MOVED);
      const { plaintext } = dataOf(answer);
      if (typeof plaintext !== 'string') throw oddAnswer();
      const opened = Buffer.from(plaintext, 'base64');
      if (!opened.subarray(0, DIGEST_BYTES).equals(digestOf(place))) throw new Error(MOVED);
      return opened.subarray(DIGEST_BYTES);
    },
    primary: async () => `${prefix}${(await versions()).latest}`,
    async opens(id) {
      if (!owns(id)) return false;
      const { latest, oldest } = await versions();
      const version = Number(id.slice(prefix.length));
      return version >= oldest && version <= latest;
    },
  };
}

async function send(config: VaultConfig, operation: Operation, body?: object): Promise<SafeAnswer> {
  const { mount, key, namespace, ca } = config;
  const url = new URL(config.address);
  url.pathname = `/v1/${mount}/${operation}/${key}`;
  const answer = await safeFetch(url.href, {
    method: body ? 'POST' : 'GET',
    headers: {
      'x-vault-token': await tokenOf(config),
      'x-vault-request': 'true',
      ...(namespace !== null && { 'x-vault-namespace': namespace }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
    // The operator named it, so it may be where tenants may not reach.
    allow_private: [url.hostname],
    allow_http: true,
    timeout_ms: 5_000,
    max_bytes: 64 * 1024,
    ...(ca !== null && { ca }),
  });
  if (!answer.ok) throw new KeysUnavailable(`Vault cannot be reached (${answer.code})`);
  return answer;
}

async function tokenOf({ token }: VaultConfig): Promise<string> {
  if ('value' in token) return token.value;
  const text = await readFile(token.file, 'utf8').catch(() => {
    throw new KeysUnavailable('the file with the token of Vault cannot be read');
  });
  return text.trim();
}

/** The status alone is told: bodies of errors are the server's to word. */
function dataOf({ status, body }: SafeAnswer): Record<string, unknown> {
  if (status !== 200) throw new KeysUnavailable(`Vault answers ${String(status)}`);
  let data: unknown;
  try {
    ({ data } = JSON.parse(Buffer.from(body).toString('utf8')) as { data?: unknown });
  } catch {
    throw oddAnswer();
  }
  if (typeof data !== 'object' || data === null) throw oddAnswer();
  return data as Record<string, unknown>;
}

const oddAnswer = (): KeysUnavailable => new KeysUnavailable('Vault answers what is no answer of its transit engine');

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function versionOf(ciphertext: unknown): string | null {
  return typeof ciphertext === 'string' ? (/^vault:v([0-9]+):/.exec(ciphertext)?.[1] ?? null) : null;
}
