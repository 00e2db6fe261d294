import { APPROVALS, MODES } from '@hcp/core';
import { Hcp, remote, type RemoteRuntime } from '@hcp/sdk';
import { usage } from './failure.js';
import type { Io } from './io.js';
import { HostStore } from './store/hosts.js';
import { storedToken } from './store/tokens.js';
import { Ui } from './ui/ui.js';

/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly session?: string;
  /** Id or name. */
  readonly project?: string;
}

/** What a command works with. */
export class Context {
  readonly io: Io;
  readonly ui: Ui;
  readonly store: HostStore;
  /** What the process ends with; a command sets it where it is not 0. */
  exit_code = 0;

  constructor(io: Io) {
    this.io = io;
    this.ui = new Ui(io);
    this.store = new HostStore(io.env.home);
  }

  /** The address of the API: --url, HCP_URL, or the one signed in to last. */
  async url(options: CommonOptions): Promise<string> {
    const given = options.url ?? this.io.env.url ?? (await this.store.read()).current;
    if (given === null) throw usage('no API address', 'Run hcpx login --url https://…, or set HCP_URL.');
    return normalUrl(given);
  }

  /**
   * A client with HCP_TOKEN, else with what is stored for exactly this address.
   * @param as `agent`: its calls count as an agent's, whatever HCP_AGENT says
   */
  async hcp(options: CommonOptions, as: { readonly agent?: true } = {}): Promise<Hcp<RemoteRuntime>> {
    const url = await this.url(options);
    const { token, session: from_env, agent } = this.io.env;
    const mode = wordOf('HCP_MODE', this.io.env.mode, MODES);
    const approvals = wordOf('HCP_APPROVALS', this.io.env.approvals, APPROVALS);
    const session = options.session ?? from_env;
    return Hcp.create({
      runtime: remote({
        url,
        agent: agent || as.agent === true,
        ...(token === undefined ? { getToken: storedToken(this.store, url, () => this.io.now()) } : { token }),
        ...(session === undefined ? {} : { session }),
        ...(mode === undefined ? {} : { mode }),
        ...(approvals === undefined ? {} : { approvals }),
      }),
    });
  }
}

/** A word that means nothing runs nothing: looser than was meant, something might. */
function wordOf<Word extends string>(
  name: string,
  given: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((each) => each === given);
  if (given === undefined || word !== undefined) return word;
  throw usage(`${name} is none of its words`, `Set it to ${words.join(' or ')}, or unset it.`);
}

/** One spelling of an address, because credentials are kept by it. */
export function normalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw usage('the API address must be a plain http or https URL', 'For example https://hcp.example.com.');
  }
  return url.href.replace(/\/+$/, '');
}
