import { styleText } from 'node:util';
import type { Io, Sink } from '../io.js';
import { manyLines, oneLine, safeJson } from './text.js';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** How commands speak: results on standard output, everything else on standard error. */
export class Ui {
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  /** One JSON document, indented for a person, one line for a program. */
  json(value: unknown): void {
    this.#io.out.write(`${safeJson(value, this.#io.out.terminal ? 2 : 0)}\n`);
  }

  /** A line of ours; remote text in it must be passed through `safe` first. */
  line(text: string): void {
    this.#io.out.write(`${text}\n`);
  }

  note(text: string): void {
    this.#io.err.write(`${text}\n`);
  }

  /** Remote text within a line. */
  safe(text: string): string {
    return oneLine(text);
  }

  /** Remote text of several lines within what we say. */
  lines(text: string): string {
    return manyLines(text);
  }

  /** Remote text of any length: escaped on a terminal, byte for byte in a pipe or file. */
  raw(text: string, to: 'out' | 'err' = 'out'): void {
    const sink = this.#io[to];
    sink.write(sink.terminal ? manyLines(text) : text);
  }

  /** As `raw`, ending with a line end. */
  block(text: string, to: 'out' | 'err' = 'out'): void {
    this.raw(text.endsWith('\n') ? text : `${text}\n`, to);
  }

  /** Columns for a person, tab-separated values without a head for a program. Cells are made safe here. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const cells = rows.map((row) => row.map(oneLine));
    if (cells.length === 0) {
      this.note(this.dim('nothing to show', 'err'));
      return;
    }
    if (!this.#io.out.terminal) {
      for (const row of cells) this.line(row.join('\t'));
      return;
    }
    const all = [head, ...cells];
    const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
    const print = (row: readonly string[]): string =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ');
    this.line(this.style('bold', print(head)));
    for (const row of cells) this.line(print(row));
  }

  /** Names and values below each other; values are made safe here and empty ones left out. */
  fields(pairs: readonly (readonly [string, string | null | undefined])[]): void {
    const shown = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null && pair[1] !== undefined);
    const width = Math.max(0, ...shown.map(([name]) => name.length));
    for (const [name, value] of shown) this.line(`${this.dim(name.padEnd(width))}  ${oneLine(value)}`);
  }

  style(style: Style, text: string, to: 'out' | 'err' = 'out'): string {
    return this.#colours(this.#io[to]) ? styleText(style, text, { validateStream: false }) : text;
  }

  dim(text: string, to: 'out' | 'err' = 'out'): string {
    return this.style('dim', text, to);
  }

  #colours(sink: Sink): boolean {
    return sink.terminal && !this.#io.env.no_color;
  }
}
