import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

interface Bindings {
  readonly SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: Exports): void;
}
type Exports = Readonly<Record<string, unknown>>;

/** The one call used here; the full types come with the DOM's, which have no place in a server. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    instantiate(bytes: Buffer, imports: Record<string, unknown>): Promise<{ instance: { exports: Exports } }>;
  };
};

let loaded: Promise<typeof SchemaEngine> | undefined;

/**
 * Prisma's schema engine as WebAssembly. The package's own entry imports the .wasm file as a module, which Node does
 * not do without a flag, and Prisma's CLI wants a native binary that a closed network cannot download.
 */
async function load(): Promise<typeof SchemaEngine> {
  const wasm = await readFile(
    join(dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')), 'schema_engine_bg.wasm'),
  );
  const glue = bindings as unknown as Bindings;
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return glue.SchemaEngine;
}

/** The one form in which the adapter asks its pool. */
interface Queryable {
  query(config: unknown): Promise<{ fields: { dataTypeID: number }[] }>;
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** Prisma's adapter, made fit for the schema engine. */
class EngineAdapter extends PrismaPg {
  readonly #open: Adapter[] = [];

  override async connect(): Promise<Adapter> {
    return this.#fit(await super.connect());
  }

  override async connectToShadowDb(): Promise<Adapter> {
    return this.#fit(await super.connectToShadowDb());
  }

  /** Ends the connections, and with them the advisory lock that a migration takes. */
  async close(): Promise<void> {
    await Promise.all(this.#open.map((adapter) => adapter.underlyingDriver().end()));
  }

  #fit(adapter: Adapter): Adapter {
    this.#open.push(adapter);
    const pool = adapter.underlyingDriver() as unknown as Queryable;
    const query = pool.query.bind(pool);
    // It cuts scripts at every semicolon, those in DO blocks and comments too. PostgreSQL takes a whole script as one
    // query, and then all of it happens or nothing does.
    adapter.executeScript = async (script) => {
      await query(script);
    };
    // It refuses the "char" columns of PostgreSQL's catalogue, which the engine needs as characters. So they pass the
    // adapter as text and get their type afterwards; the engine asks one thing at a time.
    let characters = new Set<number>();
    pool.query = async (config) => {
      const result = await query(config);
      characters = new Set();
      result.fields.forEach((field, index) => {
        if (field.dataTypeID !== Number(pg.types.builtins.CHAR)) return;
        field.dataTypeID = pg.types.builtins.TEXT;
        characters.add(index);
      });
      return result;
    };
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (asked) => {
      const answer = await queryRaw(asked);
      const columnTypes = answer.columnTypes.map((type, index) =>
        characters.has(index) ? ColumnTypeEnum.Character : type,
      );
      return { ...answer, columnTypes };
    };
    return adapter;
  }
}

/** The call under way: the engine is one instance in this process, and two calls at once corrupt its memory. */
let busy: Promise<unknown> = Promise.resolve();

/** Runs `fn` with a schema engine connected to the database at `url`; one call at a time in a process. */
export async function withEngine<T>(
  url: string,
  datamodels: [path: string, content: string][],
  fn: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const mine = busy.then(() => connected(url, datamodels, fn));
  busy = mine.catch(() => undefined);
  return mine;
}

async function connected<T>(
  url: string,
  datamodels: [path: string, content: string][],
  fn: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const Engine = await (loaded ??= load());
  const adapter = new EngineAdapter({ connectionString: url });
  try {
    const factory = bindMigrationAwareSqlAdapterFactory(adapter);
    const engine = await Engine.new({ datamodels }, () => undefined, factory);
    try {
      return await fn(engine);
    } finally {
      engine.free();
    }
  } finally {
    await adapter.close();
  }
}
