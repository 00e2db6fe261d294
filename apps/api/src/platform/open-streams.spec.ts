import { NEVER, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ProblemError } from './problem.js';
import { OpenStreams } from './open-streams.js';

describe('OpenStreams', () => {
  it('lets one reader have only so many at a time, and others theirs', () => {
    const streams = new OpenStreams(2);
    const gone: (() => boolean)[] = [];
    const open = (reader: string) =>
      streams
        .open({ tenant_id: 'acme', principal: { id: reader, kind: 'human' } }, (left) => {
          gone.push(left);
          return NEVER;
        })
        .subscribe();
    const first = open('ada');
    open('ada');
    expect(() => open('ada')).toThrow(ProblemError);
    open('bob');
    expect(gone.map((left) => left())).toEqual([false, false, false]);
    first.unsubscribe();
    expect(gone[0]?.()).toBe(true);
    open('ada');
    expect(() => open('ada')).toThrow(ProblemError);
  });

  it('forgets one that ended', () => {
    const streams = new OpenStreams(1);
    for (let i = 0; i < 3; i++)
      streams.open({ tenant_id: 'acme', principal: { id: 'ada', kind: 'human' } }, () => of(1)).subscribe();
  });
});
