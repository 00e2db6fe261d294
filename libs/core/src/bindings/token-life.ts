/** When a token was had and when it ends; null: the provider says nothing of an end. */
export interface TokenLife {
  readonly obtained_at: Date;
  readonly expires_at: Date | null;
}

/** Between now and the command's own start, and between its end and the token's. In milliseconds. */
const MARGIN_MS = 5_000;

/**
 * Whether a new token is due before a run of this length begins: the lease ends before the token does (SPEC B4). Where a
 * provider's tokens live shorter than the run a new one would do no better, so half of such a life is used up first.
 */
export function tokenDue({ obtained_at, expires_at }: TokenLife, run_ms: number, now: Date): boolean {
  if (expires_at === null) return false;
  const needed = run_ms + MARGIN_MS;
  const life = expires_at.getTime() - obtained_at.getTime();
  const left = expires_at.getTime() - now.getTime();
  return left < (life >= needed ? needed : life / 2);
}

/** How long a run with this token may take at most; null where the token sets no bound. At least 0. */
export function leaseLeft(expires_at: Date | null, now: Date): number | null {
  if (expires_at === null) return null;
  return Math.max(0, expires_at.getTime() - now.getTime() - LEASE_MARGIN_MS);
}

/** A token is not used in its last second: clocks differ, and answers take their time. */
const LEASE_MARGIN_MS = 1_000;
