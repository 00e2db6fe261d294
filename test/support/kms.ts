import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A KMS for tests: the real protocol over HTTP, the real cipher, and no more of the service than we use. */
export interface StandIn {
  readonly url: string;
  /** Answers everything with this status, until it is null again. */
  broken: number | null;
  /** Adds a version of the key (Vault), or a key that the alias then names (AWS). */
  rotate(): void;
  /** Vault: versions below open nothing any more. */
  oldest: number;
  /** What requests brought to sign in. */
  readonly credentials: string[];
  close(): Promise<void>;
}

type Answer = { readonly status: number; readonly body: object };

async function serve(handle: (request: IncomingMessage, body: string, state: State) => Answer): Promise<StandIn> {
  const state: State = { broken: null, oldest: 1, keys: [randomBytes(32)], credentials: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer =
        state.broken === null
          ? handle(request, Buffer.concat(chunks).toString('utf8'), state)
          : { status: state.broken, body: { errors: ['broken'] } };
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    rotate: () => void state.keys.push(randomBytes(32)),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

interface State {
  broken: number | null;
  oldest: number;
  readonly keys: Buffer[];
  readonly credentials: string[];
}

function seal(key: Buffer, plain: Buffer, aad: string): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(aad));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function open(key: Buffer, sealed: Buffer, aad: string): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(aad));
    decipher.setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch {
    return null;
  }
}

/** HashiCorp Vault's transit engine at `transit`, with the key `hcp`. */
export function startVault(token: string): Promise<StandIn> {
  return serve((request, body, state) => {
    state.credentials.push(String(request.headers['x-vault-token']));
    if (request.headers['x-vault-token'] !== token) return { status: 403, body: { errors: ['permission denied'] } };
    const text = (body === '' ? {} : JSON.parse(body)) as Record<string, string>;
    switch (`${String(request.method)} ${String(request.url)}`) {
      case 'GET /v1/transit/keys/hcp':
        return {
          status: 200,
          body: { data: { latest_version: state.keys.length, min_decryption_version: state.oldest } },
        };
      case 'POST /v1/transit/encrypt/hcp': {
        const key = state.keys.at(-1) ?? Buffer.alloc(0);
        const sealed = seal(key, Buffer.from(text['plaintext'] ?? '', 'base64'), text['associated_data'] ?? '');
        const ciphertext = `vault:v${String(state.keys.length)}:${sealed.toString('base64')}`;
        return { status: 200, body: { data: { ciphertext, key_version: state.keys.length } } };
      }
      case 'POST /v1/transit/decrypt/hcp': {
        const [, version, sealed = ''] = /^vault:v([0-9]+):(.*)$/.exec(text['ciphertext'] ?? '') ?? [];
        const key = Number(version) >= state.oldest ? state.keys[Number(version) - 1] : undefined;
        const plain = key && open(key, Buffer.from(sealed, 'base64'), text['associated_data'] ?? '');
        if (!plain) return { status: 400, body: { errors: ['invalid ciphertext: unable to decrypt'] } };
        return { status: 200, body: { data: { plaintext: plain.toString('base64') } } };
      }
      default:
        return { status: 404, body: { errors: [] } };
    }
  });
}

/** AWS KMS with the alias `alias/hcp`, by its JSON protocol; requests must be signed. */
export function startAwsKms(): Promise<StandIn> {
  const arn = (index: number): string => `arn:aws:kms:eu-central-1:111122223333:key/${String(index)}`;
  return serve((request, body, state) => {
    const signature = String(request.headers.authorization);
    state.credentials.push(signature);
    if (!/^AWS4-HMAC-SHA256 Credential=[^,]+\/eu-central-1\/kms\/aws4_request, /.test(signature)) {
      return { status: 400, body: { __type: 'IncompleteSignatureException' } };
    }
    const input = JSON.parse(body) as { KeyId: string; EncryptionContext?: object } & Record<string, string>;
    const context = JSON.stringify(input.EncryptionContext ?? {});
    const index = input.KeyId === 'alias/hcp' ? state.keys.length - 1 : Number(input.KeyId.split('/').at(-1));
    const key = state.keys[index];
    if (!key) return { status: 400, body: { __type: 'NotFoundException', message: 'no such key' } };
    switch (request.headers['x-amz-target']) {
      case 'TrentService.DescribeKey':
        return { status: 200, body: { KeyMetadata: { Arn: arn(index), KeyId: String(index), Enabled: true } } };
      case 'TrentService.Encrypt': {
        const sealed = seal(key, Buffer.from(input['Plaintext'] ?? '', 'base64'), context);
        return { status: 200, body: { CiphertextBlob: sealed.toString('base64'), KeyId: arn(index) } };
      }
      case 'TrentService.Decrypt': {
        const plain = open(key, Buffer.from(input['CiphertextBlob'] ?? '', 'base64'), context);
        if (!plain) return { status: 400, body: { __type: 'InvalidCiphertextException' } };
        return { status: 200, body: { Plaintext: plain.toString('base64'), KeyId: arn(index) } };
      }
      default:
        return { status: 400, body: { __type: 'UnknownOperationException' } };
    }
  });
}
