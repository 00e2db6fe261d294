import { describe, expect, it } from 'vitest';
import { statementNames } from './statement-names.js';

describe('the names of statements', () => {
  it('are the same for the same text and differ for others', () => {
    const name = statementNames();
    expect(name({ sql: 'select 1' })).toBe(name({ sql: 'select 1' }));
    expect(name({ sql: 'select 1' })).not.toBe(name({ sql: 'select 2' }));
    // PostgreSQL cuts longer names.
    expect(name({ sql: 'select 1' }).length).toBeLessThan(64);
  });

  it('end after so many texts, and stay for those that have one', () => {
    const name = statementNames();
    const first = name({ sql: 'select 0' });
    for (let n = 1; n < 1000; n += 1) name({ sql: `select ${String(n)}` });
    expect(name({ sql: 'select 1000' })).toBe('');
    expect(name({ sql: 'select 0' })).toBe(first);
  });
});
