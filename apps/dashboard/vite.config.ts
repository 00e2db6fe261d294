import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const UNUSED = '@rjsf/validator-ajv8';

/** The forms' library names this in a helper for its own tests; no page uses it, and it would make code from text. */
const withoutAjv: Plugin = {
  name: 'without-ajv',
  enforce: 'pre',
  resolveId: (id) => (id === UNUSED ? `\0${UNUSED}` : null),
  load: (id) => (id === `\0${UNUSED}` ? 'export default undefined;' : null),
};

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** `HCP_URL`: the API that `vite` in this folder passes calls on to while one works on the pages. */
export default defineConfig({
  plugins: [withoutAjv, react()],
  define: { __HCP_VERSION__: JSON.stringify(version) },
  server: { proxy: { '/v1': process.env.HCP_URL ?? 'http://127.0.0.1:3000' } },
  build: {
    target: 'es2023',
    // The content security policy allows no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
