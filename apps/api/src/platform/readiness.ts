import { Injectable } from '@nestjs/common';

/** Asks one part whether it works; must settle by itself. */
export type PartCheck = () => Promise<boolean>;

/** What `GET /readyz` asks besides the database: features whose parts the API cannot do without register here. */
@Injectable()
export class Readiness {
  readonly #checks = new Map<'queue', PartCheck>();

  register(part: 'queue', check: PartCheck): void {
    this.#checks.set(part, check);
  }

  /** False where nobody registered: what is not there is not ready. */
  async check(part: 'queue'): Promise<boolean> {
    const check = this.#checks.get(part);
    return check ? check().catch(() => false) : false;
  }
}
