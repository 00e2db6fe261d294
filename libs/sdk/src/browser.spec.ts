import { fileURLToPath } from 'node:url';
import { build, type Rollup } from 'vite';
import { expect, it } from 'vitest';

const ENTRY = 'virtual:product';

/** A browser product's bundle of what it imports. */
async function bundle(source: string): Promise<Rollup.OutputChunk[]> {
  const built = await build({
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'product',
        resolveId: (id) => (id === ENTRY ? `${fileURLToPath(new URL('../product.js', import.meta.url))}` : null),
        load: (id) => (id.endsWith('/product.js') ? source : null),
      },
    ],
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      rolldownOptions: { input: ENTRY, preserveEntrySignatures: 'strict' },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (output === undefined || !('output' in output)) throw new Error('nothing was built');
  return output.output.filter((each) => each.type === 'chunk');
}

const modulesOf = (chunks: readonly Rollup.OutputChunk[]): string[] => chunks.flatMap(({ moduleIds }) => moduleIds);

it('all of the SDK but the local driver runs in a browser', async () => {
  const chunks = await bundle("export * from '@hcp/sdk';");
  const modules = modulesOf(chunks);
  expect(modules.some((id) => id.endsWith('libs/sdk/dist/access/gated.js'))).toBe(true);
  const node = modules.filter((id) =>
    /^node:|__vite-browser-external|libs\/(sandbox|pack-files)\/|sdk\/dist\/local\//.test(id),
  );
  expect(node).toEqual([]);
  for (const { imports, dynamicImports, fileName } of chunks) {
    const outside = [...imports, ...dynamicImports].filter((id) => !chunks.some((chunk) => chunk.fileName === id));
    expect(outside, fileName).toEqual([]);
  }
});

it('who only calls a hosted API is given no schema validator', async () => {
  const chunks = await bundle(
    "import { Hcp, remote } from '@hcp/sdk'; export const hcp = Hcp.create({ runtime: remote({ url: '/' }) });",
  );
  const first = chunks.filter(({ isEntry }) => isEntry);
  expect(modulesOf(first).some((id) => id.endsWith('libs/sdk/dist/remote/remote.js'))).toBe(true);
  expect(modulesOf(first).filter((id) => /node_modules\/(ajv|re2js)\//.test(id))).toEqual([]);
});
