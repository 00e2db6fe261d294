/** What a program's help says of one command, as far as it could be read. */
export interface HelpPage {
  /** The first sentence of prose; empty where there is none. */
  readonly summary: string;
  /** One entry for each form of the command line, without `usage:`. */
  readonly usages: readonly string[];
  readonly commands: readonly HelpCommand[];
  readonly options: readonly HelpOption[];
  /** Options that stand in brackets among the rows, as in a usage; empty where there are none. */
  readonly option_forms: string;
  /** Rows that describe positional arguments. */
  readonly positionals: readonly HelpRow[];
}

export interface HelpRow {
  readonly name: string;
  readonly description: string;
}

export interface HelpCommand extends HelpRow {
  /** What its row shows behind the name, such as `[options] <amount>`. */
  readonly form: string;
}

export interface HelpOption {
  /** With their dashes, as written: `-f`, `--force`. */
  readonly names: readonly string[];
  /** What stands for the value, without brackets; null: a switch. */
  readonly value: string | null;
  readonly repeated: boolean;
  readonly description: string;
  /** More stood at its head than could be read. */
  readonly unclear: boolean;
  /** Of the program as a whole, listed again with each command. */
  readonly global: boolean;
}

/** What `--help` printed for the program, and for each command that it lists. */
export interface ProgramHelp {
  readonly text: string;
  /** By the name of the command; a command whose help could not be had is absent. */
  readonly commands: ReadonlyMap<string, string>;
}
