import {
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  KMSClient,
  KMSServiceException,
} from '@aws-sdk/client-kms';
import { KeysUnavailable } from '@hcp/core';
import type { RootKeys } from './port.js';

export interface AwsConfig {
  /** Id, ARN or alias of a symmetric key. */
  readonly key: string;
  readonly region: string;
  /** Another address of the service, such as a VPC endpoint; null: the region's. */
  readonly endpoint: string | null;
}

const PREFIX = 'aws:';
/** The text is not what this key made of this place: asking again does not help. */
const CHANGED = ['InvalidCiphertextException', 'IncorrectKeyException'];

/**
 * AWS KMS by its own client, with credentials from wherever that finds them (environment, role of the machine or pod).
 * AWS keeps the versions of a key behind one ARN; another key is another root key.
 */
export function awsKms({ key, region, endpoint }: AwsConfig): RootKeys {
  const client = new KMSClient({
    region,
    ...(endpoint !== null && { endpoint }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  const context = (place: string) => ({ EncryptionContext: { 'hcp:place': place } });
  const describe = async (KeyId: string) => {
    const { KeyMetadata } = await asked(client.send(new DescribeKeyCommand({ KeyId })));
    if (KeyMetadata?.Arn === undefined) throw oddAnswer();
    return { arn: KeyMetadata.Arn, enabled: KeyMetadata.Enabled === true };
  };
  return {
    name: 'aws',
    owns: (id) => id.startsWith(PREFIX),
    async wrap(plain, place) {
      const { CiphertextBlob, KeyId } = await asked(
        client.send(new EncryptCommand({ KeyId: key, Plaintext: plain, ...context(place) })),
      );
      if (CiphertextBlob === undefined || KeyId === undefined) throw oddAnswer();
      return { bytes: Buffer.from(CiphertextBlob), root_key_id: `${PREFIX}${KeyId}` };
    },
    async unwrap({ bytes, root_key_id }, place) {
      const KeyId = root_key_id.slice(PREFIX.length);
      const { Plaintext } = await asked(
        client.send(new DecryptCommand({ KeyId, CiphertextBlob: bytes, ...context(place) })),
      );
      if (Plaintext === undefined) throw oddAnswer();
      return Buffer.from(Plaintext);
    },
    primary: async () => `${PREFIX}${(await describe(key)).arn}`,
    async opens(id) {
      if (!id.startsWith(PREFIX)) return false;
      try {
        return (await describe(id.slice(PREFIX.length))).enabled;
      } catch (error) {
        if (error instanceof KeysUnavailable && error.message.endsWith('NotFoundException')) return false;
        throw error;
      }
    },
  };
}

/** Tells the kind of an error alone: the rest of it names identities and addresses, and holds the signed request. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  const settled = await answer.then(
    (value) => ({ value }),
    (error: unknown) => ({ kind: error instanceof KMSServiceException ? error.name : 'no answer' }),
  );
  if ('value' in settled) return settled.value;
  if (CHANGED.includes(settled.kind)) throw new Error('AWS KMS cannot open this text: it was changed or moved');
  throw new KeysUnavailable(`AWS KMS: ${settled.kind}`);
}

const oddAnswer = (): KeysUnavailable => new KeysUnavailable('AWS KMS answers without what was asked for');
