/** Milliseconds that one call takes. */
export async function timed(call) {
  const began = process.hrtime.bigint();
  await call();
  return Number(process.hrtime.bigint() - began) / 1e6;
}

/**
 * Times several things in turn, one call of each a round, so that all of them meet the same machine.
 * @param {Record<string, () => Promise<unknown>>} contestants
 * @returns {Promise<Record<string, { p50: number, p95: number, rounds: number }>>} milliseconds
 */
export async function inTurn(contestants, { rounds, warm_up }) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < warm_up + rounds; round += 1) {
    for (const [name, call] of Object.entries(contestants)) {
      const ms = await timed(call);
      if (round >= warm_up) times[name].push(ms);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)]));
}

function summary(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (share) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2));
  return { p50: at(0.5), p95: at(0.95), rounds: sorted.length };
}

/** Calls per second with `parallel` of them under way at any time. */
export async function throughput(call, { parallel, calls }) {
  let left = calls;
  const began = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (left > 0) {
        left -= 1;
        await call();
      }
    }),
  );
  return Number((calls / (Number(process.hrtime.bigint() - began) / 1e9)).toFixed(1));
}
