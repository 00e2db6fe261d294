import { MODES, type Mode } from '@hcp/core';
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

  /** A client with HCP_TOKEN, else with what is stored for exactly this address. */
  async hcp(options: CommonOptions): Promise<Hcp<RemoteRuntime>> {
    const url = await this.url(options);
    const { token, session: from_env, agent, mode: wanted } = this.io.env;
    const mode = wanted === undefined ? undefined : modeNamed(wanted);
    const session = options.session ?? from_env;
    return Hcp.create({
      runtime: remote({
        url,
        agent,
        ...(token === undefined ? { getToken: storedToken(this.store, url, () => this.io.now()) } : { token }),
        ...(session === undefined ? {} : { session }),
        ...(mode === undefined ? {} : { mode }),
      }),
    });
  }
}

/** A word that is no mode runs nothing: in a looser one than was meant, something might. */
function modeNamed(word: string): Mode {
  const mode = MODES.find((each) => each === word);
  if (mode !== undefined) return mode;
  throw usage('HCP_MODE is no mode', `Set it to ${MODES.join(', ')}, or unset it.`);
}

/** One spelling of an address, because credentials are kept by it. */
export function normalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw usage('the API address must be a plain http or https URL', 'For example https://hcp.example.com.');
  }
  return url.href.replace(/\/+$/, '');
}
