import { isAbsolute, relative, sep } from 'node:path';

/** What changes access or decides about a call; for people alone (SPEC A8). */
export const ACCESS_COMMANDS: readonly string[] = [
  'approve',
  'reject',
  'mode',
  'allow',
  'ask',
  'deny',
  'rules rm',
  'access set',
  'access unset',
];

/**
 * Rules of Claude Code that keep its tools off the access commands and off the folder where `hcpx` keeps sign-ins. They
 * stop mistakes; what holds is that every call counts as an agent's.
 * @param store the folder, absolute
 */
export function denyRules(store: string, user_home: string): string[] {
  const commands = ACCESS_COMMANDS.flatMap((words) => [
    `Bash(hcpx ${words} *)`,
    // Behind npx, env or a path, and in the text of another shell.
    `Bash(*hcpx ${words} *)`,
    `Bash(*hcpx.js ${words} *)`,
    // Options of hcpx may stand before the command's name.
    `Bash(*hcpx --* ${words} *)`,
  ]);
  // Nothing that an agent does needs to name the variable, save taking it away.
  return [...commands, 'Bash(*HCP_AGENT*)', ...storeRules(store, user_home)];
}

function storeRules(store: string, user_home: string): string[] {
  const below = relative(user_home, store);
  const in_home = below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  // A settings file of a project is shared: what lies in a home is named so that it is right in each one's.
  const [pattern, text] = in_home ? [`~/${below}`, `/${below}`] : [`/${store}`, store];
  return [`Edit(${pattern}/**)`, `Read(${pattern}/**)`, `Bash(*${text}*)`];
}
