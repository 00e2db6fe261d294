import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressKind, canonicalAddress } from './address.js';

const octet = fc.integer({ min: 0, max: 255 });
const dotted = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const hexPair = (high: number, low: number): string => ((high << 8) | low).toString(16);

/** Written from the registries anew, with numbers instead of the library. */
function isPublicIPv4(address: string): boolean {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const within = (first: string, bits: number): boolean => {
    const start = first.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    return value >= start && value < start + 2 ** (32 - bits);
  };
  const special: [string, number][] = [
    ...([
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
    ] as const),
    ...([
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.31.196.0', 24],
      ['192.52.193.0', 24],
    ] as const),
    ...([
      ['192.88.99.0', 24],
      ['192.168.0.0', 16],
      ['192.175.48.0', 24],
      ['198.18.0.0', 15],
    ] as const),
    ...([
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
      ['168.63.129.16', 32],
    ] as const),
  ].map(([first, bits]) => [first, bits]);
  return !special.some(([first, bits]) => within(first, bits));
}

describe('addressKind', () => {
  it.each([
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...[
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
    ],
    ...['2606:4700:4700::1111', '2a00:1450:4001::1', '64:ff9b::808:808'],
  ])('%s is public', (address) => {
    expect(addressKind(address)).toBe('public');
  });

  it.each([
    ...[
      '127.0.0.1',
      '127.255.255.254',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '100.127.255.255',
    ],
    ...['169.254.1.1', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '240.0.0.1'],
    ...['::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', '2001:db8::1', '2001:2::1', '3fff::1'],
  ])('%s is private', (address) => {
    expect(addressKind(address)).toBe('private');
  });

  it.each([
    ...['0.0.0.0', '0.1.2.3', '224.0.0.1', '239.255.255.255', '255.255.255.255', '::', 'ff02::1', 'ff0e::1', '100::1'],
    // Metadata services.
    ...[
      '169.254.169.254',
      '169.254.170.2',
      '168.63.129.16',
      '100.100.100.200',
      'fd00:ec2::254',
      '::ffff:169.254.169.254',
    ],
    // Forms that carry an IPv4 address.
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '::8.8.8.8', '::ffff:0:127.0.0.1'],
    ...['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ...[
      '64:ff9b::127.0.0.1',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::808:808',
      'fec0::1',
      '5f00::1',
      '4000::1',
    ],
    // No addresses.
    ...[
      '',
      'localhost',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '127.0.0.01',
      'fe80::1%eth0',
      '1.2.3.4.5',
      '1.2.3.256',
    ],
  ])('%j is never reached', (address) => {
    expect(addressKind(address)).toBe('never');
  });

  it('agrees with the registry on every IPv4 address', () => {
    fc.assert(
      fc.property(dotted, (address) => (addressKind(address) === 'public') === isPublicIPv4(address)),
      {
        numRuns: 5000,
      },
    );
  });

  it('takes no IPv4 address in the dress of IPv6, but through NAT64 those that are public', () => {
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), ([a, b, c, d]) => {
        const low = `${hexPair(a, b)}:${hexPair(c, d)}`;
        const dressed = [
          `::ffff:${low}`,
          `::ffff:${a}.${b}.${c}.${d}`,
          `::ffff:0:${low}`,
          `2002:${low}::1`,
          `2001:0:${low}::1`,
        ];
        if (dressed.some((address) => addressKind(address) === 'public')) return false;
        return (addressKind(`64:ff9b::${low}`) === 'public') === isPublicIPv4(`${a}.${b}.${c}.${d}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('calls public in IPv6 only what begins with 2 or 3, and NAT64', () => {
    const address = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'));
    fc.assert(
      fc.property(
        address.filter((text) => addressKind(text) === 'public'),
        (text) => /^(2|3)[0-9a-f]{3}:/.test(text) || text.startsWith('64:ff9b:0:0:0:0:'),
      ),
      { numRuns: 500 },
    );
  });
});

describe('canonicalAddress', () => {
  it('has one spelling for each address', () => {
    expect(canonicalAddress('2606:4700:0:0:0:0:0:1111')).toBe('2606:4700::1111');
    expect(canonicalAddress('2606:4700::1111')).toBe('2606:4700::1111');
    expect(canonicalAddress('FD00:EC2::254')).toBe('fd00:ec2::254');
    expect(canonicalAddress('10.0.0.1')).toBe('10.0.0.1');
  });

  it('judges a canonical address as it judges the address', () => {
    fc.assert(
      fc.property(fc.oneof(dotted, fc.ipV6()), (address) => {
        const canonical = canonicalAddress(address);
        return canonical !== null && addressKind(canonical) === addressKind(address);
      }),
    );
  });
});
