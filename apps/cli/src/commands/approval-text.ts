import type { Approval } from '@hcp/contracts';
import type { Ui } from '../ui/ui.js';

/** Room for one request's own values in a list. */
const MAX_DETAIL = 60;

/** Who asked, by name: `agent reporter, for Ada`, or `Claude, for Ada` of an OAuth client. */
export function askedBy(found: Approval): string {
  const { principal_kind, principal_id, principal_name, client_name, acts_for, acts_for_name } = found;
  const name = principal_name ?? principal_id;
  if (client_name !== null) return `${client_name}, for ${name}`;
  return `${principal_kind} ${name}${acts_for === null ? '' : `, for ${acts_for_name ?? acts_for}`}`;
}

/** What tells a request from others to the same command: the money of a payment, else the command line. */
export function whatAsked({ card }: Approval): string {
  if (!card) return '-';
  const { title, fields } = card.view;
  const values = new Map(fields.map(({ name, value }) => [name, value]));
  const amount = values.get('amount');
  if (amount === undefined) return card.args.length === 0 ? title : `${title}: ${shortened(card.cli)}`;
  return title.includes(amount) ? title : `${title}: ${[amount, values.get('currency') ?? ''].join(' ').trim()}`;
}

const shortened = (text: string): string => (text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL - 1)}…` : text);

export const yesCount = ({ decisions }: Approval): number =>
  decisions.filter(({ decision }) => decision === 'approve').length;

/** All that is known of a request besides its card. */
export function showFacts(ui: Ui, found: Approval): void {
  ui.fields([
    ['approval', found.id],
    ['state', found.state],
    ['asked by', askedBy(found)],
    ['command', found.card ? null : `${found.pack_id}.${found.verb_key}`],
    ['arguments', found.card ? null : found.arg_names.join(', ') || 'none'],
    ['card', found.erased_at === null ? null : `erased ${found.erased_at}`],
    ['why', found.card?.reason ?? found.reason_code],
    ['waits until', found.pending_expires_at],
    ['good until', found.use_expires_at],
    ['approvers', `${yesCount(found)} of ${found.approvers}`],
    ['said', saidBy(found)],
    ['run', found.run_id],
  ]);
}

function saidBy({ decisions }: Approval): string | null {
  const each = decisions.map(({ decision, principal_id, principal_name, reason }) => {
    const word = decision === 'approve' ? 'yes' : 'no';
    return `${word} by ${principal_name ?? principal_id}${reason === null ? '' : ` (${reason})`}`;
  });
  return each.length === 0 ? null : each.join(', ');
}
