import { setTimeout } from 'node:timers/promises';
import type { ConfirmReset } from '@hcp/contracts';
import { sql, type Database } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { link, type LinkDeps } from '../mail.js';
import { done, refuse, type Outcome, type Refusal } from '../outcome.js';
import { hashPassword } from '../tokens/passwords.js';
import { mintSecret, parseSecret, secretMatches } from '../tokens/secrets.js';
import { auditEverywhere } from './audit-everywhere.js';
import { membershipsOf } from './memberships.js';

const RESET_MS = 3600_000;
/** Links that one person can have at once, however often somebody asks. */
const MAX_OPEN = 3;
/** The answer comes after this long, so that its time does not tell whether the person exists. */
const ANSWER_MS = 250;

const notGood = (): Refusal => refuse('invalid_credentials', 'the link is not good, or no longer');

/** A way back for who forgot the password (SPEC T5): a single-use link, for one hour, to the mailbox alone. */
export class PasswordReset {
  /** @param onError told of mails that could not be sent: the caller learns nothing of them */
  constructor(
    private readonly db: Database,
    private readonly links: LinkDeps,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Answers the same, after the same time, whether the person exists. */
  async request(email: string): Promise<void> {
    const floor = setTimeout(ANSWER_MS);
    await this.#request(email.toLowerCase());
    await floor;
  }

  async #request(email: string): Promise<void> {
    const user = await this.db.global((tx) => tx.user.findUnique({ where: { email } }));
    if (user?.disabled_at !== null) return;
    const memberships = await membershipsOf(this.db, user.id);
    if (memberships.length === 0) return;
    const id = uuidv7();
    const { token, secret_hash } = mintSecret('hcpp', id);
    const made = await this.db.global(async (tx) => {
      await tx.passwordReset.deleteMany({ where: { user_id: user.id, expires_at: { lt: new Date() } } });
      if ((await tx.passwordReset.count({ where: { user_id: user.id } })) >= MAX_OPEN) return false;
      const expires_at = new Date(Date.now() + RESET_MS);
      await tx.passwordReset.create({ data: { id, user_id: user.id, secret_hash, expires_at } });
      await auditEverywhere(tx, user.id, 'auth.reset_request');
      return true;
    });
    if (!made) return;
    const url = link(this.links.public_url, 'reset', token);
    const text = `Choose a new password here, within one hour:\n\n${url}\n\nIf you did not ask for this, do nothing.\n`;
    // Not awaited: a mail takes its time, and only people who exist get one.
    this.links.mailer.send({ to: email, subject: 'New password', text }).catch(this.onError);
  }

  /** Sets the password, once, and ends every session that a password opened before. Keys stay. */
  async confirm({ token, password }: ConfirmReset): Promise<Outcome<null>> {
    const parsed = parseSecret('hcpp', token);
    if (!parsed) return notGood();
    const { id, secret } = parsed;
    const row = await this.db.global((tx) => tx.passwordReset.findUnique({ where: { id } }));
    if (!row || !secretMatches(secret, row.secret_hash) || row.used_at !== null || row.expires_at <= new Date()) {
      return notGood();
    }
    const { user_id } = row;
    const password_hash = await hashPassword(password);
    const changed = await this.db.global(async (tx) => {
      const { count } = await tx.passwordReset.updateMany({
        where: { id, used_at: null, expires_at: { gt: new Date() } },
        data: { used_at: new Date() },
      });
      if (count === 0) return false;
      // The other links end with this one.
      await tx.passwordReset.updateMany({ where: { user_id, used_at: null }, data: { used_at: new Date() } });
      const updated = await tx.$executeRaw(sql`
        UPDATE users SET password_hash = ${password_hash}, sessions_valid_from = clock_timestamp()
        WHERE id = ${user_id}::uuid AND disabled_at IS NULL`);
      if (updated !== 1) return false;
      await auditEverywhere(tx, user_id, 'auth.password_reset');
      return true;
    });
    return changed ? done(null) : notGood();
  }
}
