export { KMS_NAMES, type Kms, type KmsName, type RootKeys, type Wrapped } from './port.js';
export { deriveKey, openWith, sealWith } from './cipher.js';
export { localKms } from './local.js';
export { vaultKms, type VaultConfig } from './vault.js';
export { awsKms, type AwsConfig } from './aws.js';
export { combinedKms } from './combined.js';
export { parseKeyFile } from './key-file.js';
export { openKms } from './open.js';
