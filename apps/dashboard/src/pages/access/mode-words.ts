import type { Mode } from '@hcp/core';

export const MODE_MEANING: Record<Mode, string> = {
  manual: 'Everything that writes or connects asks a person first.',
  auto: 'Reads and ordinary writes run; what its pack marks for confirmation asks.',
  run: 'Everything runs but what must always ask.',
};
