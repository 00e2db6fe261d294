import { canonicalAddress } from './address.js';

/** A host as it is compared and resolved: lower case, without a last dot; or an address in its one spelling. */
export type Host = { kind: 'name' | 'address'; text: string };

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** A last label like this makes parsers take the whole for an IPv4 address: decimal, octal, hex, short forms. */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const PORT = /^[1-9][0-9]{0,4}$/;

/**
 * Reads a host name or an address (IPv6 with or without brackets); null for anything else: odd spellings of addresses,
 * names that are not ASCII (a URL parser has made them punycode), blanks, credentials, ports.
 */
export function parseHost(text: string): Host | null {
  const bare = /^\[([^[\]]*:[^[\]]*)\]$/.exec(text)?.[1] ?? text;
  const address = canonicalAddress(bare);
  if (address !== null) return { kind: 'address', text: address };
  const name = text.toLowerCase().replace(/\.$/, '');
  if (name.length > 253) return null;
  const labels = name.split('.');
  if (!labels.every((label) => LABEL.test(label)) || NUMBER.test(labels.at(-1) ?? '')) return null;
  return { kind: 'name', text: name };
}

/** Reads `host` or `host:port` (IPv6 with a port in brackets); `port` is null when there is none. */
export function parseHostPort(text: string): { host: Host; port: number | null } | null {
  const [, before, digits] = /^(\[[^[\]]*\]|[^:]*):([0-9]*)$/.exec(text) ?? [];
  if (before === undefined || digits === undefined) {
    const host = parseHost(text);
    return host && { host, port: null };
  }
  const host = parseHost(before);
  const port = parsePort(digits);
  return host && port !== null ? { host, port } : null;
}

/** A port in its plain decimal form, 1 to 65535. */
export function parsePort(digits: string): number | null {
  return PORT.test(digits) && Number(digits) <= 65_535 ? Number(digits) : null;
}

/** Names that mean this machine or need its search list: never a tenant's business. */
export function isLocalName(name: string): boolean {
  return !name.includes('.') || name.endsWith('.localhost') || name.endsWith('.localdomain');
}
