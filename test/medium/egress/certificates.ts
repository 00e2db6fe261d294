import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate of its own authority for these names and addresses, valid for a day. */
export function selfSigned(names: readonly string[]): { key: string; cert: string } {
  const dir = mkdtempSync(join(tmpdir(), 'hcp-cert-'));
  try {
    const san = names.map((name) => (/^[0-9.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
    writeFileSync(
      join(dir, 'conf'),
      `[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=test\n[ext]\nsubjectAltName=${san}\n`,
    );
    const out = ['-keyout', join(dir, 'key'), '-out', join(dir, 'cert')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
        .concat(['-config', join(dir, 'conf')])
        .concat(out),
      { stdio: 'ignore' },
    );
    return { key: readFileSync(join(dir, 'key'), 'utf8'), cert: readFileSync(join(dir, 'cert'), 'utf8') };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
