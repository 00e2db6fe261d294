import type { Manifest } from './manifest.js';
import type { Policy } from './policy.js';
import type { Surface } from './surface.js';

/** A pack that passed the check: what a decision and a rendering need of it. */
export interface Pack {
  readonly manifest: Manifest;
  readonly surface: Surface;
  readonly policy: Policy;
  readonly skill: string | null;
  /** `sha256:<hex>` over the pack's files. */
  readonly digest: string;
}

/** Result of the check (SPEC P5). `path` is a JSON pointer behind the file's name: `surface.json#/commands/pay`. */
export interface Finding {
  readonly code: string;
  readonly level: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  readonly fix?: string;
}
