/** The promise's end, or an error once the time is over; its own later end is of no interest then. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${String(ms)} ms`)), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
