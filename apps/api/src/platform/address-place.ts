import { isIPv6 } from 'node:net';

/**
 * What an address counts as where failures are counted: of IPv6 the network, because whoever has one address of a /64 has
 * all of them; of IPv4 written as IPv6 the IPv4 address.
 */
export function addressPlace(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  const v4 = /^::ffff:([0-9.]+)$/i.exec(plain)?.[1];
  if (v4 !== undefined) return v4;
  const [front = '', back] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [head, tail] = [groups(front), groups(back ?? '')];
  // Dotted at its end it stands for two groups.
  const written = head.length + tail.length + (plain.includes('.') ? 1 : 0);
  const all = back === undefined ? head : [...head, ...Array<string>(Math.max(0, 8 - written)).fill('0'), ...tail];
  const network = all.slice(0, 4).map((group) => parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
