/** The part of the Web Locks API that is used; no browser has it on a plain http address other than this machine's. */
interface Locks {
  request<T>(name: string, fn: () => Promise<T>): Promise<T>;
}

const LOCK = 'hcp-renew';

/** The two calls that renewing takes; each resolves to the status of the answer. */
interface Calls {
  /** A cheap call with the cookies as they are. */
  probe(): Promise<number>;
  renew(): Promise<number>;
}

/**
 * Renews the session of a browser, one at a time over all its tabs: a renewal that comes twice looks stolen and ends the
 * session. Whoever waited first looks whether another one did it.
 */
export class BrowserRenewal {
  #running: Promise<boolean> | null = null;

  constructor(private readonly calls: Calls) {}

  /** @returns whether the session is good now */
  good(): Promise<boolean> {
    this.#running ??= this.#alone().finally(() => (this.#running = null));
    return this.#running;
  }

  async #alone(): Promise<boolean> {
    const locks = (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
    return locks ? locks.request(LOCK, () => this.#renew()) : this.#renew();
  }

  async #renew(): Promise<boolean> {
    if ((await this.calls.probe()) !== 401) return true;
    return (await this.calls.renew()) === 200;
  }
}
