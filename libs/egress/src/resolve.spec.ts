import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHost, parseHostPort } from './host.js';
import { badAllowance, type Resolve } from './policy.js';
import { resolveChecked } from './resolve.js';
import { parseTarget } from './target.js';

const answers =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;
const never: Resolve = async () => {
  throw new Error('must not be asked');
};

describe('resolveChecked', () => {
  it('gives the addresses of a public name, in their one spelling', async () => {
    const resolve = answers('93.184.215.14', '2606:2800:0021::1');
    expect(await resolveChecked('API.Example.COM.', { resolve })).toEqual({
      ok: true,
      host: 'api.example.com',
      addresses: ['93.184.215.14', '2606:2800:21::1'],
    });
  });

  it('resolves once', async () => {
    let asked = 0;
    const resolve: Resolve = async () => [(asked += 1) === 1 ? '93.184.215.14' : '127.0.0.1'];
    expect(await resolveChecked('rebind.example.com', { resolve })).toMatchObject({ addresses: ['93.184.215.14'] });
    expect(asked).toBe(1);
  });

  it('refuses a name with one private address among public ones', async () => {
    const resolve = answers('93.184.215.14', '10.0.0.1');
    const refused = await resolveChecked('mixed.example.com', { resolve });
    expect(refused).toMatchObject({ ok: false, code: 'private_address' });
    expect(JSON.stringify(refused)).not.toContain('10.0.0.1');
  });

  it.each([
    '127.0.0.1',
    '::1',
    '[::1]',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00:ec2::254]',
    '::ffff:127.0.0.1',
    '0.0.0.0',
  ])('refuses the address %s without asking anybody', async (host) => {
    expect(await resolveChecked(host, { resolve: never })).toMatchObject({ ok: false, code: 'private_address' });
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'A.LocalHost.', 'localhost.localdomain', 'metadata'])(
    'refuses the local name %s without asking anybody',
    async (host) => {
      expect(await resolveChecked(host, { resolve: never })).toMatchObject({ ok: false, code: 'private_address' });
    },
  );

  it.each([
    ...[
      '',
      '.',
      '..',
      ' ',
      'a b.example.com',
      'a..example.com',
      '-a.example.com',
      'example.com..',
      'a/b',
      'a?b',
      'a#b',
      'a\\b',
    ],
    ...[
      'user@example.com',
      'user:pass@example.com',
      'example.com:443',
      '127.0.0.1:80',
      '[::1]:80',
      'http://example.com',
    ],
    ...[
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '127.1',
      '127.0.1',
      '127.0.0.1.',
      '01.2.3.4',
      '1.2.3.4.5',
    ],
    ...['example.0x7f', 'example.1', '0', '0x', 'fe80::1%lo', '[fe80::1%25lo]', '[127.0.0.1]', '[]', ':::1'],
    ...[
      'еxample.com',
      'ex\u00adample.com',
      'ⓔxample.com',
      '１２７.0.0.1',
      '127。0。0。1',
      'example.com\0',
      'example.com\r\n',
      '%6cocalhost',
    ],
    ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`],
  ])('takes %j for no host', async (host) => {
    expect(await resolveChecked(host, { resolve: never })).toMatchObject({ ok: false, code: 'bad_host' });
  });

  it('takes punycode for the name that it is', async () => {
    const resolve: Resolve = async (name) => (name === 'xn--xample-2of.com' ? ['93.184.215.14'] : []);
    expect(await resolveChecked('xn--xample-2of.com', { resolve })).toMatchObject({
      ok: true,
      host: 'xn--xample-2of.com',
    });
  });

  it.each([[[]], [['not an address']], [['0x7f.1']], [['fe80::1%eth0']]])('refuses the answer %j', async (list) => {
    expect(await resolveChecked('odd.example.com', { resolve: answers(...list) })).toMatchObject({ ok: false });
  });

  it('refuses a name whose resolver fails or is given up', async () => {
    const code = 'unresolvable';
    expect(await resolveChecked('gone.example.com', { resolve: never })).toMatchObject({ ok: false, code });
    const stop = new AbortController();
    const hanging = resolveChecked('slow.example.com', {
      resolve: () => new Promise(() => undefined),
      signal: stop.signal,
    });
    stop.abort();
    expect(await hanging).toMatchObject({ ok: false, code });
  });

  describe('with hosts that the operator allows', () => {
    it('admits a private address for an allowed name, and by an allowed address', async () => {
      const resolve = answers('10.0.0.1');
      expect(await resolveChecked('sink.corp', { resolve, allow_private: ['Sink.Corp'] })).toMatchObject({ ok: true });
      expect(await resolveChecked('sink.corp', { resolve, allow_private: ['10.0.0.1'] })).toMatchObject({ ok: true });
      expect(await resolveChecked('sink.corp', { resolve, allow_private: ['10.0.0.2', 'x.sink.corp'] })).toMatchObject({
        ok: false,
      });
      expect(await resolveChecked('::1', { resolve: never, allow_private: ['[::1]'] })).toMatchObject({ ok: true });
    });

    it('admits one port where it names one', async () => {
      const options = { resolve: answers('127.0.0.1'), allow_private: ['127.0.0.1:8080', 'dex:5556'] };
      expect(await resolveChecked('a.example.com', { ...options, port: 8080 })).toMatchObject({ ok: true });
      expect(await resolveChecked('a.example.com', { ...options, port: 5432 })).toMatchObject({ ok: false });
      expect(await resolveChecked('a.example.com', options)).toMatchObject({ ok: false });
      expect(await resolveChecked('dex', { ...options, port: 5556 })).toMatchObject({ ok: true });
      expect(await resolveChecked('dex', { ...options, port: 5557 })).toMatchObject({ ok: false });
    });

    it('tells the resolver whose name it is', async () => {
      const seen: boolean[] = [];
      const resolve: Resolve = async (_name, { trusted }) => {
        seen.push(trusted);
        return ['93.184.215.14'];
      };
      await resolveChecked('sink.corp', { resolve, allow_private: ['sink.corp'] });
      await resolveChecked('other.corp', { resolve, allow_private: ['sink.corp', '93.184.215.14'] });
      expect(seen).toEqual([true, false]);
    });

    it.each(['169.254.169.254', 'fd00:ec2::254', '0.0.0.0', '224.0.0.1', '::ffff:10.0.0.1'])(
      'never admits %s',
      async (address) => {
        const allow_private = [address, 'meta.corp'];
        expect(await resolveChecked('meta.corp', { resolve: answers(address), allow_private })).toMatchObject({
          ok: false,
        });
        expect(await resolveChecked(address, { resolve: never, allow_private })).toMatchObject({ ok: false });
      },
    );

    it('names an entry that cannot be read', () => {
      expect(badAllowance(['sink.corp', '10.0.0.1:80', '[::1]:80', '::1'])).toBeNull();
      for (const bad of ['10.0.0.0/8', '*.corp', 'http://sink.corp', '0x7f.1', 'a:0', 'a:65536', 'a:080', '']) {
        expect(badAllowance(['sink.corp', bad])).toBe(bad);
      }
    });
  });
});

describe('parseHost', () => {
  it('reads what it made to the same', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const host = parseHost(text);
        return host === null || parseHost(host.text)?.text === host.text;
      }),
    );
  });

  it('agrees with the URL parser on whatever it takes for a name or address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.string(), fc.stringMatching(/^[0-9a-fx.]{1,20}$/)), (text) => {
        const host = parseHost(text);
        if (host === null || text.includes(':')) return true;
        const url = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`) : null;
        // It may refuse punycode that decodes to nothing; but it must never see another host.
        return url === null || url.hostname.replace(/\.$/, '') === host.text;
      }),
      { numRuns: 2000 },
    );
  });

  it('reads ports in their plain form alone', () => {
    expect(parseHostPort('Example.com:443')).toEqual({ host: { kind: 'name', text: 'example.com' }, port: 443 });
    expect(parseHostPort('[::1]:443')).toEqual({ host: { kind: 'address', text: '::1' }, port: 443 });
    for (const bad of [
      'example.com:',
      'example.com:0',
      'example.com:65536',
      'example.com:+1',
      'a:1:2',
      ':80',
      '[::1]80',
    ]) {
      expect(parseHostPort(bad)).toBeNull();
    }
  });
});

describe('parseTarget', () => {
  const of = (text: string, base?: string) =>
    parseTarget(text, { allow_http: false, ...(base !== undefined && { base: new URL(base) }) });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'example.com',
    '',
    '//example.com',
  ])('refuses %j', (text) => {
    expect(of(text)).toMatchObject({ ok: false, code: 'bad_request' });
  });

  it.each(['https://user@example.com/', 'https://user:pass@example.com/', 'https://:p@example.com/'])(
    'refuses the credentials in %s and does not repeat them',
    (text) => {
      expect(of(text)).toEqual({ ok: false, code: 'bad_request', error: 'egress: the URL holds credentials' });
    },
  );

  it.each([
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://134744072/',
    'https://８.8.8.8/',
    'https:\\\\134744072\\',
  ])('refuses the odd address of %s', (text) => {
    expect(of(text)).toMatchObject({ ok: false, code: 'bad_host' });
  });

  it('reads hosts as the check takes them', () => {
    expect(of('https://EXAMPLE.com:8443/a?b#c')).toMatchObject({ ok: true, host: 'example.com', port: 8443 });
    expect(of('https://[::FFFF:7f00:1]/')).toMatchObject({ ok: true, host: '::ffff:7f00:1', port: 443 });
    expect(of('https://8.8.8.8/')).toMatchObject({ ok: true, host: '8.8.8.8' });
    expect(of('https://8.8.8.8:8443/')).toMatchObject({ ok: true, port: 8443 });
    expect(of('/next', 'https://8.8.8.8/')).toMatchObject({ ok: true, host: '8.8.8.8' });
    expect(of('//134744072/', 'https://8.8.8.8/')).toMatchObject({ ok: false });
    expect(of('https://ｌｏｃａｌｈｏｓｔ/')).toMatchObject({ ok: true, host: 'localhost' });
  });
});
