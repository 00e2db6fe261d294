import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, Mailer } from '@hcp/tenancy';
import { createTransport } from 'nodemailer';
import type { Env } from './env.js';

/** Through a mail server, to the person alone. */
function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url);
  return {
    delivers: true,
    async send({ to, subject, text }) {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    },
  };
}

/** Into a folder that only the operator reads: one file a mail. */
function folderMailer(dir: string): Mailer {
  return {
    delivers: false,
    async send(mail: Mail) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}.json`;
      await writeFile(join(dir, name), `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    },
  };
}

/** Nowhere: in development and tests without a folder. Inviters get the links; resets lead to nothing. */
const noMailer: Mailer = { delivers: false, send: async () => Promise.resolve() };

/** A mail server where one is given, else a folder; production has one of the two (env.ts). */
export function openMailer(env: Env): Mailer {
  if (env.SMTP_URL !== undefined) {
    return smtpMailer(env.SMTP_URL, env.HCP_MAIL_FROM ?? `noreply@${new URL(env.PUBLIC_URL).hostname}`);
  }
  const dir = env.HCP_MAIL_DIR ?? (env.HCP_STATE_DIR === undefined ? undefined : join(env.HCP_STATE_DIR, 'mail'));
  return dir === undefined ? noMailer : folderMailer(dir);
}
