import type { VIEW_KINDS } from '../packs/surface.js';

export type ViewKind = (typeof VIEW_KINDS)[number];

/** One row of a card. `value` has its invisible characters written as escapes (SPEC C3). */
export interface ViewField {
  readonly name: string;
  readonly value: string;
  /** The value did not fit whole: the card has to be opened in full before it can be approved. */
  readonly cut?: true;
}

/** A fact in the values that a person should weigh. */
export interface Signal {
  readonly id: string;
  readonly text: string;
}

/** What a person sees of a call: built from the pack and the real arguments alone (SPEC C1). */
export interface View {
  readonly kind: ViewKind;
  readonly title: string;
  readonly fields: readonly ViewField[];
  /** Every argument that no field and no title shows. */
  readonly rest: readonly ViewField[];
  readonly signals: readonly Signal[];
  /** The arguments behind each field. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** False where some value was too long to show whole. */
  readonly complete: boolean;
}

/** How a view is inferred from the names of a command and its arguments; data, and hosts put their own in front (SPEC C2). */
export interface ViewRule {
  readonly kind: ViewKind;
  /** One of these is a word of the command's name. */
  readonly words: readonly string[];
  /** One of these is a word of the command's or the pack's name too. */
  readonly about?: readonly string[];
  /** For each list one of the names must be an argument of the call. */
  readonly needs?: readonly (readonly string[])[];
  /** Field by field, the argument names that fill it; the first that is given counts. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** With `{field}`; the first whose fields are all there. */
  readonly titles: readonly string[];
}

/** When a signal is shown; data as well. */
export interface SignalRule {
  readonly id: string;
  /** With `{count}` where `counts` is set. */
  readonly text: string;
  readonly kinds: readonly ViewKind[];
  /** One of these is a word of the command's name. */
  readonly words?: readonly string[];
  /** Counts the people that these arguments name. */
  readonly counts?: { readonly args: readonly string[]; readonly at_least: number };
}
