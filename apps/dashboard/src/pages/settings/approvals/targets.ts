import type { Demands, TenantSettings } from '@hcp/core';

export type Narrower = NonNullable<TenantSettings['narrower']>;
export type TargetKind = keyof Narrower;

/** What more is asked of: a pack, a command or a kind of card. */
export interface Target {
  /** `packs:ledger`; one of each. */
  readonly key: string;
  readonly kind: TargetKind;
  readonly name: string;
  readonly demands: Demands;
}

export const TARGET_KINDS = ['packs', 'commands', 'kinds'] as const satisfies readonly TargetKind[];

export function targetsOf(narrower: Narrower): Target[] {
  return TARGET_KINDS.flatMap((kind) =>
    Object.entries<Demands | undefined>(narrower[kind] ?? {}).map(([name, demands]) => ({
      key: `${kind}:${name}`,
      kind,
      name,
      demands: demands ?? {},
    })),
  );
}

/** As the API takes it; null where nothing is left. */
export function narrowerOf(targets: readonly Target[]): Narrower | null {
  if (targets.length === 0) return null;
  const found: Record<string, Record<string, Demands>> = {};
  for (const { kind, name, demands } of targets) found[kind] = { ...found[kind], [name]: demands };
  return found;
}

export function wordsOf({ kind, name }: Pick<Target, 'kind' | 'name'>): string {
  if (kind === 'packs') return `every command of ${name}`;
  return kind === 'commands' ? name : `${name} cards`;
}
