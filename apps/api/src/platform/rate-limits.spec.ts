import { describe, expect, it } from 'vitest';
import { ProblemError } from './problem.js';
import { FailureLimits } from './rate-limits.js';

const few = { points: 3, duration: 60 };
const many = { points: 100, duration: 60 };
const limits = (changes: object = {}) =>
  new FailureLimits({
    login_per_pair: many,
    login_per_email: few,
    login_per_address: many,
    key_per_id: few,
    key_per_address: many,
    reset_per_email: few,
    reset_per_address: many,
    link_per_address: few,
    client_per_address: few,
    document_per_address: few,
    ...changes,
  });

const refusal = async (promise: Promise<void>): Promise<ProblemError> => {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProblemError)) throw new Error('was not refused');
  return error;
};

describe('FailureLimits', () => {
  it('stops guessing one person’s password from many addresses, in any spelling', async () => {
    const subject = limits();
    const spellings = ['Ada@example.com', ' ada@example.com', 'ada@example.com\u00a0'];
    for (const [at, email] of spellings.entries()) await subject.takeLogin(email, String(at));
    const problem = await refusal(subject.takeLogin('ada@EXAMPLE.com', '4'));
    expect(problem).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(problem.extras.retry_after_ms).toBeGreaterThan(0);
    await subject.takeLogin('bob@example.com', '4');
  });

  it('stops one address that guesses many people', async () => {
    const subject = limits({ login_per_address: few });
    for (const email of ['a', 'b', 'c']) await subject.takeLogin(email, 'here');
    expect((await refusal(subject.takeLogin('d', 'here'))).status).toBe(429);
    await subject.takeLogin('d', 'elsewhere');
  });

  it('takes all addresses of a network that is one customer’s for one', async () => {
    const subject = limits({ login_per_address: few });
    const many_of_one = ['2001:db8:0:7::1', '2001:db8:0:7:ffff::', '2001:0db8::7:1:2:3:4'];
    for (const [at, address] of many_of_one.entries()) await subject.takeLogin(String(at), address);
    expect((await refusal(subject.takeLogin('d', '2001:DB8:0:7:aaaa:bbbb:cccc:dddd'))).status).toBe(429);
    await subject.takeLogin('d', '2001:db8:0:8::1');
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:10.0.0.1']) await subject.takeLogin('x', address);
    expect((await refusal(subject.takeLogin('y', '10.0.0.1'))).status).toBe(429);
    await subject.takeLogin('y', '10.0.0.2');
  });

  it('stops one address that guesses one person sooner, and leaves that person alone elsewhere', async () => {
    const subject = limits({ login_per_pair: few, login_per_email: many });
    for (let i = 0; i < 3; i++) await subject.takeLogin('ada', 'here');
    expect((await refusal(subject.takeLogin('ADA', 'here'))).status).toBe(429);
    await subject.takeLogin('ada', 'elsewhere');
  });

  it('costs nothing to succeed', async () => {
    const subject = limits({ login_per_address: few });
    for (let i = 0; i < 10; i++) {
      await subject.takeLogin('ada', 'here');
      await subject.loginSucceeded('ada', 'here');
    }
  });

  it('counts parallel guesses', async () => {
    const subject = limits();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => subject.takeLogin('ada', 'here')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('stops a key that failed too often from this address, and nobody else with that key', async () => {
    const subject = limits();
    for (let i = 0; i < 3; i++) {
      await subject.checkKey('k', 'here');
      await subject.keyFailed('k', 'here');
    }
    expect((await refusal(subject.checkKey('k', 'here'))).status).toBe(429);
    await subject.checkKey('k', 'elsewhere');
    await subject.checkKey('other', 'here');
  });

  it('lets who has signed in from an address do so again, however many guess from there', async () => {
    const subject = limits({ login_per_address: few, login_per_pair: few });
    await subject.takeLogin('ada', 'here');
    await subject.loginSucceeded('Ada', 'here');
    for (const email of ['a', 'b', 'c']) await subject.takeLogin(email, 'here');
    expect((await refusal(subject.takeLogin('bob', 'here'))).status).toBe(429);
    for (const address of ['1', '2', '3']) await subject.takeLogin('ada', address);
    for (let i = 0; i < 3; i++) await subject.takeLogin('ada', 'here');
    // Guesses at that person are still counted there.
    expect((await refusal(subject.takeLogin('ada', 'here'))).status).toBe(429);
  });

  it('tells who sends keys that are nobody’s to wait, and lets a good key from there pass', async () => {
    const subject = limits({ key_per_address: few });
    for (let i = 0; i < 3; i++) await subject.keyFailed(null, 'here');
    expect((await refusal(subject.keyFailed(null, 'here'))).status).toBe(429);
    await subject.checkKey('good', 'here');
    await subject.keyFailed(null, 'elsewhere');
  });

  it('counts clients that register and documents that are read', async () => {
    const limiter = limits();
    for (let i = 0; i < 3; i++) {
      await limiter.takeClient('10.0.0.9');
      await limiter.takeDocument('10.0.0.9');
    }
    expect((await refusal(limiter.takeClient('10.0.0.9'))).status).toBe(429);
    expect((await refusal(limiter.takeDocument('10.0.0.9'))).status).toBe(429);
    await limiter.takeClient('10.0.0.8');
  });

  it('counts requests for links and uses of them, good or bad', async () => {
    const limiter = limits();
    for (let i = 0; i < 3; i++) {
      await limiter.takeReset('Ada@example.com', `10.0.0.${String(i)}`);
      await limiter.takeLink('10.0.0.9');
    }
    expect((await refusal(limiter.takeReset('ada@example.com', '10.0.0.8'))).status).toBe(429);
    expect((await refusal(limiter.takeLink('10.0.0.9'))).status).toBe(429);
    await limiter.takeReset('bob@example.com', '10.0.0.8');
    await limiter.takeLink('10.0.0.8');
  });
});
