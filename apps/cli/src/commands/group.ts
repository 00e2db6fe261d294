import type { Page, PageQuery } from '@hcp/contracts';
import { items } from '@hcp/sdk';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { leaf, optionsOf } from './leaf.js';

/** The client that a command talks with. */
export type Client = Awaited<ReturnType<Context['hcp']>>;

/** How a list is shown to a person; a program gets the items as they are. */
export interface Columns<T> {
  readonly head: readonly string[];
  readonly row: (item: T) => readonly string[];
}

/** Every item of a list, as a table or as JSON. */
export async function showList<T>(
  context: Context,
  options: CommonOptions,
  list: (query: PageQuery) => Promise<Page<T>>,
  columns: Columns<T>,
): Promise<void> {
  const all: T[] = [];
  for await (const each of items(list)) all.push(each);
  if (options.json === true) context.ui.json(all);
  else context.ui.table(columns.head, all.map(columns.row));
}

/** What was made or looked up: its fields, or JSON. */
export function showOne(
  context: Context,
  options: CommonOptions,
  value: object,
  fields: readonly (readonly [string, string | null | undefined])[],
): void {
  if (options.json === true) context.ui.json(value);
  else context.ui.fields(fields);
}

/** A secret that is shown this once: alone on standard output, so that it can be piped. */
export function showSecret(
  context: Context,
  options: CommonOptions,
  value: object,
  secret: string,
  note: string,
): void {
  const { ui } = context;
  if (options.json === true) {
    ui.json(value);
    return;
  }
  ui.note(note);
  ui.line(ui.safe(secret));
}

/** A command that acts on one thing and answers nothing: `<name> <id>`. */
export function act(
  context: Context,
  parent: Command,
  spec: string,
  description: string,
  run: (hcp: Client, ...words: string[]) => Promise<unknown>,
  said: string,
): void {
  leaf(parent, spec, description).action(async (...given: unknown[]) => {
    const command = given.at(-1) as Command;
    const options = optionsOf(command);
    const words = given.slice(0, -2) as string[];
    await run(await context.hcp(options), ...words);
    if (options.json === true) context.ui.json({ ok: true, id: words[0] });
    else context.ui.note(`${context.ui.safe(words[0] ?? '')} ${said}`);
  });
}

/** Only what was given: the API refuses a field that is there without a value. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
