import type { Layer } from '@hcp/core';

/** Where a setting comes from, as people call it. */
export const LAYER_WORDS: Record<Layer | 'default', string> = {
  default: 'nobody: the default',
  platform: 'the operator',
  tenant: 'the tenant',
  pack: 'the tenant, for this pack',
  member: 'your own settings',
  session: 'this session',
  project: 'the project',
  process: 'the calling process',
};
