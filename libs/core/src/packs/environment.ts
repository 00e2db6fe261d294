import type { Manifest } from './manifest.js';

/** Who the program belongs to: the pack, or the operator, who allowed it by name. */
export type BinOwner = 'pack' | 'operator';

/** Whose program a pack runs, as far as its manifest tells: a path is the pack's, a plain name the operator's (SPEC S6). */
export const binOwner = ({ wrap }: Pick<Manifest, 'wrap'>): BinOwner =>
  wrap === undefined || wrap.bin.includes('/') ? 'pack' : 'operator';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Makes the dynamic linker or Node load other code before the program's own. */
const FOR_PACK = /^(LD_|DYLD_|GLIBC_TUNABLES$|GCONV_PATH$|NODE_OPTIONS$)/;

/**
 * Makes a common program load code, or look for code or for a configuration that names code elsewhere. An operator who
 * allows `git` allows git as it is installed, so these are refused for such programs (SPEC S1).
 */
const FOR_OPERATOR = new RegExp(
  `^(${[
    'LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*',
    'PATH|HOME|TMPDIR|XDG_.*|IFS|CDPATH|ENV|BASH_.*|BASHOPTS|SHELLOPTS|SHELL|PS4|PROMPT_COMMAND|ZDOTDIR',
    'NODE_.*|NPM_.*|npm_.*|YARN_.*|GIT_.*|SSH_.*|GNUPGHOME',
    'PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|TCL.*|AWKPATH|AWKLIBPATH|R_.*|GUILE_.*|EMACS.*',
    // Go's own names carry no underscore after GO; credentials such as GOOGLE_API_KEY do not belong to it.
    'JAVA_.*|JDK_.*|_JAVA_.*|CLASSPATH|DOTNET_.*|CORECLR_.*|COR_.*|GO(?!OGLE_).*|CARGO_.*|RUSTC.*',
    'EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|OPENSSL_.*|CURL_HOME|WGETRC|GTK_.*|QT_.*|TERMINFO.*',
  ].join('|')})$`,
);

/**
 * What is wrong with a run's environment, or null. Names the variable and never its value.
 * PATH, HOME and TMPDIR of a pack's own program are the pack's affair; HCP_SANDBOX is nobody's.
 */
export function refuseEnvironment(env: Readonly<Record<string, string>>, owner: BinOwner): string | null {
  for (const [name, value] of Object.entries(env)) {
    if (!NAME.test(name)) return `environment name ${JSON.stringify(name)} is not allowed`;
    if (value.includes('\0')) return `environment variable ${name} holds a NUL`;
    if (name === 'HCP_SANDBOX') return 'environment variable HCP_SANDBOX is set by the sandbox alone';
    if ((owner === 'operator' ? FOR_OPERATOR : FOR_PACK).test(name)) {
      return `environment variable ${name} loads code and is not allowed`;
    }
  }
  return null;
}
