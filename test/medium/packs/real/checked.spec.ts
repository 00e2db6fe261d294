import { checkArchive } from '@hcp/packs';
import { expect, it } from 'vitest';
import { archiveOf } from '../../../support/packs.js';
import { packDir } from './workspace.js';

it.each(['git', 'jq', 'sqlite3', 'curl'])(
  '%s passes the check without a finding and has a short skill',
  async (name) => {
    const checked = await checkArchive(await archiveOf(packDir(name)), { platform: false });
    expect(checked).toMatchObject({ ok: true, findings: [] });
    const skill = checked.ok ? checked.pack?.skill : null;
    expect(skill).toMatch(/^# /);
    expect(skill?.length).toBeLessThan(2000);
  },
);
