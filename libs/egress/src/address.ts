import ipaddr from 'ipaddr.js';

/** What an address is. `never` is refused even where an operator names it. */
export type AddressKind = 'public' | 'private' | 'never';

/** Services that hand out a machine's credentials. Not all of them are in ranges that are refused anyway. */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

/** Ranges that an operator may have reasons to reach; whatever else is not public is refused for good. */
const LIFTABLE: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'linkLocal',
  'uniqueLocal',
  'reserved',
  'benchmarking',
]);

/** All that is handed out as global unicast; the rest of IPv6 is special or not assigned. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** The well-known prefix of NAT64 (RFC 6052): the last 32 bits are where it leads. */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** The one spelling of an address, or null for what is none or an odd spelling (octal, hex, short forms, zones). */
export function canonicalAddress(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text;
  // Colons first: without one the parser would take IPv4 in its odd forms.
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.IPv6.parse(text).toString();
}

/**
 * Judges a canonical address (SPEC S4). Public is only what the IANA registries list as globally reachable; forms that
 * carry an IPv4 address (mapped, compatible, 6to4, Teredo) are refused whatever they carry, but for NAT64, which networks
 * without IPv4 need and which is judged by the address inside.
 */
export function addressKind(address: string): AddressKind {
  const canonical = canonicalAddress(address);
  if (canonical === null || METADATA.has(canonical)) return 'never';
  const parsed = ipaddr.parse(canonical);
  const range: string = parsed.range();
  if (parsed instanceof ipaddr.IPv6) {
    if (parsed.match(NAT64)) {
      return addressKind(parsed.toByteArray().slice(12).join('.')) === 'public' ? 'public' : 'never';
    }
    if (range === 'unicast') return parsed.match(GLOBAL_UNICAST) ? 'public' : 'never';
  }
  if (range === 'unicast') return 'public';
  return LIFTABLE.has(range) ? 'private' : 'never';
}
