/** What `hcpx` takes from its environment, read once. */
export interface Env {
  /** HCP_URL: the API; else the one that `hcpx login` stored last. */
  readonly url?: string;
  /** HCP_TOKEN: an API key or access token; wins over stored credentials. */
  readonly token?: string;
  /** HCP_SESSION: id of an explicit session (SPEC T4). */
  readonly session?: string;
  /** HCP_MODE: what this process asks for; it tightens freely and loosens as far as a person let it (SPEC A1). */
  readonly mode?: string;
  /** HCP_APPROVALS=human: no yes of an agent counts in this process (SPEC A5). */
  readonly approvals?: string;
  /** HCP_AGENT=1: every call counts as an agent's (SPEC T2). Any value but 0 counts, so that a slip stays strict. */
  readonly agent: boolean;
  /** HCP_HOME, else `$XDG_CONFIG_HOME/hcp`, else `~/.config/hcp`. */
  readonly home: string;
  /** PATH, where programs are looked for. */
  readonly path: string;
  /** The home directory of the user. */
  readonly user_home: string;
  readonly no_color: boolean;
}

/** A pure function of the variables and the home directory of the user. */
export function readEnv(vars: Readonly<Record<string, string | undefined>>, user_home: string): Env {
  const text = (name: string): string | undefined => (vars[name] === '' ? undefined : vars[name]);
  const agent = text('HCP_AGENT');
  const url = text('HCP_URL');
  const token = text('HCP_TOKEN');
  const session = text('HCP_SESSION');
  const mode = text('HCP_MODE');
  const approvals = text('HCP_APPROVALS');
  return {
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...(session === undefined ? {} : { session }),
    ...(mode === undefined ? {} : { mode }),
    ...(approvals === undefined ? {} : { approvals }),
    agent: agent !== undefined && agent !== '0',
    home: text('HCP_HOME') ?? `${text('XDG_CONFIG_HOME') ?? `${user_home}/.config`}/hcp`,
    path: vars['PATH'] ?? '',
    user_home,
    // https://no-color.org: any value that is not empty.
    no_color: text('NO_COLOR') !== undefined,
  };
}
