import { parseToken } from '../../argv/template.js';
import type { Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import type { Surface } from '../surface.js';
import { finding } from './findings.js';

/**
 * Words of access control. Packs carry none of it, so that the same pack runs for everyone (SPEC P5). They count as
 * keys of the three files, not as names of arguments: a command may well list users.
 */
const WORDS: ReadonlySet<string> = new Set(
  (
    'user users userid userids alloweduser allowedusers allowusers denyusers allow allowed allowlist whitelist deny denylist ' +
    'blocklist acl role roles allowedroles group groups team teams member members owner owners admin admins grant grants ' +
    'permission permissions principal principals capability capabilities scope scopes tenant tenants key keys apikey apikeys ' +
    'secret secrets credential credentials password passwords token tokens accesstoken refreshtoken privatekey oauth ' +
    'clientid clientsecret oauthclient oauthclientsecret'
  ).split(' '),
);

/** `client_secret`, `clientSecret` and `client-secret` are one word. */
export const isAllowListWord = (key: string): boolean => WORDS.has(key.replace(/[^A-Za-z]/g, '').toLowerCase());

const SECRET_NAME = /(?:secret|passw(?:or)?d|token|api_?key|private_?key|access_?key|client_?secret|credentials?)s?$/i;

/** A name such as `api-key` or `user:password`, by which a secret is asked for. */
export const looksSecret = (name: string): boolean =>
  /(?:^|[^a-z])(?:otp|passphrase)(?:$|[^a-z])/i.test(name) || SECRET_NAME.test(name.replaceAll('-', '_'));

/** Forms that only a real credential has. */
const SECRET_FORM =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|\b(?:ghp|gho|ghs|github_pat|glpat|xox[abprs]|sk_live|rk_live|hcp_[A-Za-z0-9]{4,40})[_-][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b/;

/** Credentials written into a pack: they would be everyone's (SPEC P5). The value itself is never repeated. */
export function checkLiteralSecrets(manifest: Manifest, surface: Surface): Finding[] {
  const findings: Finding[] = [];
  const env = Object.entries(manifest.binding.env ?? {}).map(([name, value]) => ({
    at: ['binding', 'env', name],
    name,
    value,
  }));
  const agent_env = Object.entries(manifest.wrap?.agent_env ?? {}).map(([name, value]) => ({
    at: ['wrap', 'agent_env', name],
    name,
    value,
  }));
  for (const { at, name, value } of [...env, ...agent_env]) {
    const literal = value !== '' && parseToken(value).names.length === 0;
    if ((literal && SECRET_NAME.test(name)) || SECRET_FORM.test(value)) {
      findings.push(
        finding('M017', 'manifest.json', at, `${name} holds a literal credential`, 'Use {{field}} in binding.env.'),
      );
    }
  }
  for (const [verb_key, command] of Object.entries(surface.commands)) {
    for (const [name, schema] of Object.entries(command.args?.properties ?? {})) {
      const given = ['default', 'const', 'example'].some(
        (word) => typeof schema[word] === 'string' && schema[word] !== '',
      );
      if (SECRET_NAME.test(name) && given) {
        findings.push(
          finding(
            'M017',
            'surface.json',
            ['commands', verb_key, 'args', 'properties', name],
            `${name} comes with a literal credential`,
            'Remove the value.',
          ),
        );
      }
    }
    if (SECRET_FORM.test(JSON.stringify(command))) {
      findings.push(
        finding(
          'M017',
          'surface.json',
          ['commands', verb_key],
          'holds what looks like a literal credential',
          'Remove it.',
        ),
      );
    }
  }
  return findings;
}

/** Files whose names say that they hold keys. */
const KEY_FILE =
  /(?:^|\/)(?:\.env(?:\..*)?|\.netrc|\.npmrc|\.pgpass|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|client_?secrets?(?:[._-].*)?\.json|service[_-]?account(?:[._-].*)?\.json|credentials(?:\.json)?|.*\.(?:key|p12|pfx|jks|keystore|kdbx))$/i;
/** Files beside the manifest whose names say that they hold an allow-list. */
const LIST_FILE = /^(?:users|roles|groups|members|grants|permissions|acl|allow-?list|white-?list)\.[a-z]+$/i;

/** What a pack carries besides its three files: no keys, users, roles or OAuth client secrets either (SPEC P5). */
export function checkCarried(files: {
  readonly skill?: string;
  readonly openapi?: string;
  readonly paths: readonly string[];
}): Finding[] {
  const texts = [
    ['SKILL.md', files.skill],
    ['openapi.json', files.openapi],
  ] as const;
  const literal = texts.flatMap(([file, text]) =>
    text !== undefined && SECRET_FORM.test(text)
      ? [finding('M017', file, [], 'holds what looks like a literal credential', 'Remove it.')]
      : [],
  );
  const named = files.paths.flatMap((path) => {
    const what = KEY_FILE.test(path) ? 'keys' : LIST_FILE.test(path) ? 'who may do what' : null;
    return what === null
      ? []
      : [finding('M017', path, [], `its name says that it holds ${what}, which no pack carries`, 'Remove it.')];
  });
  return [...literal, ...named];
}
