import type { Family, Settings } from '@hcp/core';
import type { AccessOptions } from '../access/options.js';

/** A command that needs a credential, as `mint` is asked about it. */
export interface MintRequest {
  readonly family: Family;
  readonly provider: string | null;
  readonly pack_id: string;
  readonly verb_key: string;
  readonly principal_id: string;
  /** What of the credential the pack's `binding.env` names. */
  readonly fields: readonly string[];
}

/** The credential's fields, for one run; null where there is none. */
export type Mint = (
  request: MintRequest,
) => Readonly<Record<string, string>> | null | Promise<Readonly<Record<string, string>> | null>;

export interface LocalOptions extends AccessOptions {
  /** A folder of packs, or of one. */
  readonly packs_dir: string;
  /** `$HCP_HOME`, where audit, approvals and workspaces are kept; `~/.config/hcp` where nothing says so. */
  readonly home?: string;
  /** Settings document; `$HCP_HOME/access.json` where it is left out. Read anew for each call. Not with `access`. */
  readonly access_file?: string;
  /** A project's own settings document: it only tightens. */
  readonly project_access_file?: string;
  /** Where commands with `workspace.mode: "project"` run; it makes the calls those of a project. */
  readonly project_dir?: string;
  /** Programs besides their own that packs may name, with their absolute path (SPEC S6). */
  readonly allowed_bins?: Readonly<Record<string, string>>;
  /** Lends credentials of the families `user` and `mothership`; without it such commands fail with `mint_failed`. */
  readonly mint?: Mint;
  /** Instead of `process.env`: HCP_HOME, HCP_MODE, HCP_APPROVALS and HCP_AGENT are read, and nothing is handed on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What was read of the environment, once. */
export interface LocalEnv {
  readonly home: string | null;
  readonly mode: Settings['mode'] | null;
  readonly approvals: Settings['approvals'] | null;
  readonly agent: boolean;
}
