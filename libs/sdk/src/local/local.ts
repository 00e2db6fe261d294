import { join } from 'node:path';
import { GatedRuntime } from '../access/gated.js';
import type { AccessSource } from '../access/options.js';
import { readSettings, type Surroundings } from '../access/settings.js';
import { ApprovalBook } from '../approvals/book.js';
import { HcpError } from '../errors.js';
import { ApprovalFiles } from './approval-files.js';
import { LocalDriver } from './driver.js';
import { homeOf, readLocalEnv } from './env.js';
import { auditLog, readDocument } from './files.js';
import type { LocalEnv, LocalOptions } from './options.js';
import type { LocalPack } from './packs.js';

/** The project of calls where the host gives a folder and no name. */
const PROJECT = 'project';

/** The reference-local runtime. Its access step is its own: `withAccess` and `Hcp.create` change its settings. */
export class LocalRuntime extends GatedRuntime {
  /** Requests that wait for a person; shared by all processes with the same home. */
  readonly approvals: ApprovalBook;
  /** Where audit, approvals and workspaces are. */
  readonly home: string;
  readonly #driver: LocalDriver;

  /** @throws HcpError `invalid_request` for variables and settings that are malformed, by name and field */
  constructor(options: LocalOptions) {
    const env = readLocalEnv(options.env);
    const home = homeOf(options.home, env);
    const driver = new LocalDriver(options, home);
    const agent = (options.agent ?? false) || env.agent;
    const human_only = agent || options.principal?.kind === 'agent';
    const approvals = new ApprovalBook(new ApprovalFiles(join(home, 'approvals')), { human_only });
    super(
      driver,
      {
        ...options,
        agent,
        access: sourceOf(options, home),
        approvals: options.approvals ?? approvals,
        audit: options.audit ? chained(auditLog(home), options.audit) : auditLog(home),
        project_id: options.project_id ?? (options.project_dir === undefined ? null : PROJECT),
      },
      { around: () => surroundings(options, env, agent) },
    );
    this.#driver = driver;
    this.approvals = approvals;
    this.home = home;
  }

  /** Every pack of the folder, with what the check found; those with an error are not run. */
  async report(): Promise<readonly LocalPack[]> {
    return this.#driver.report();
  }

  /** Runs under way are killed. */
  async close(): Promise<void> {
    await this.#driver.close();
  }
}

/**
 * Runs the packs of a folder on this machine, for one user and as that user (SPEC I4). Commands are not isolated.
 * @throws HcpError `invalid_request` for variables and settings that are malformed, by name and field
 */
export function local(options: LocalOptions): LocalRuntime {
  return new LocalRuntime(options);
}

const chained =
  (one: NonNullable<LocalOptions['audit']>, other: NonNullable<LocalOptions['audit']>) =>
  async (event: Parameters<typeof one>[0]): Promise<void> => {
    await one(event);
    await other(event);
  };

function sourceOf({ access, access_file }: LocalOptions, home: string): AccessSource {
  if (access !== undefined && access_file !== undefined) {
    throw new HcpError({ code: 'invalid_request', status: 0, message: 'access and access_file exclude each other' });
  }
  if (access !== undefined) return access;
  const path = access_file ?? join(home, 'access.json');
  return async () => readSettings(await readDocument(path, access_file === undefined));
}

/** An agent's yes counts unless something says otherwise, as the protocol's reference runtime has it (SPEC A5). */
async function surroundings(
  { project_access_file: path }: LocalOptions,
  env: LocalEnv,
  agent: boolean,
): Promise<Surroundings> {
  return {
    approvals: 'agent',
    project: path === undefined ? null : readSettings(await readDocument(path, true)),
    process_mode: env.mode ?? null,
    // The variable is the user's own word, but for an agent's shell.
    max_mode: agent ? null : 'run',
    process_approvals: env.approvals ?? null,
  };
}
