import { describe, expect, it } from 'vitest';
import type { PackDetail } from '@hcp/contracts';
import { HcpError } from '@hcp/sdk';
import { CannotPack } from './archive.js';
import { standing, uploadWords } from './upload-words.js';

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const ref = { pack_id: 'demo', version: '1.0.0', digest: digest('a') };
const there = (more: Partial<PackDetail> = {}): PackDetail => ({
  pack_id: 'demo',
  name: 'Demo',
  description: 'x',
  kind: 'wrap',
  platform: false,
  needs_binding: false,
  provider: null,
  stopped: false,
  command_count: 0,
  versions: [
    {
      version: '1.0.0',
      digest: digest('a'),
      created_at: '2026-11-30T00:00:00.000Z',
      created_by: null,
      created_by_name: null,
    },
  ],
  activations: [],
  version: '1.0.0',
  commands: [],
  ...more,
});

describe('standing', () => {
  it('lets in what is new, and a further version', () => {
    expect(standing(ref, null)).toMatchObject({ may_install: true });
    const activations = [
      {
        project_id: null,
        version: '1.0.0',
        activated_at: '2026-11-30T00:00:00.000Z',
        activated_by: null,
        activated_by_name: null,
      },
    ];
    const found = standing({ ...ref, version: '1.1.0' }, there({ activations }));
    expect(found).toMatchObject({ may_install: true });
    expect(found.words).toContain('1.0.0 is active now');
  });

  it('tells a version that is there from one that differs, and from the platform’s', () => {
    expect(standing(ref, there())).toMatchObject({ may_install: false, installed: true });
    const other = standing({ ...ref, digest: digest('b') }, there());
    expect(other).toMatchObject({ may_install: false, installed: false });
    expect(other.words).toContain('raise version');
    expect(standing(ref, there({ platform: true })).words).toContain('another pack_id');
  });
});

describe('uploadWords', () => {
  it.each([
    ['payload_too_large', 413, 'too big'],
    ['unsupported_media_type', 415, 'no archive'],
    ['human_only', 403, 'agent'],
    ['missing_capability', 403, 'may not install'],
    ['version_conflict', 409, 'another content'],
    ['conflict', 409, 'taken'],
    ['invalid_pack', 422, 'errors'],
    ['network', 0, 'does not answer'],
  ] as const)('says what to do after %s', (code, status, words) => {
    const found = uploadWords(new HcpError({ code, status, message: 'demo is a pack of the platform' }));
    expect(found.title).toContain(words);
    expect(found.next.length).toBeGreaterThan(20);
  });

  it('hands on what was said before anything was sent', () => {
    expect(uploadWords(new CannotPack('Too many', 'Fewer.'))).toMatchObject({ title: 'Too many', next: 'Fewer.' });
  });
});
