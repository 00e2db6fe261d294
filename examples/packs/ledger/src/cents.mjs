import { Failure } from './state.mjs';

const AMOUNT = /^(0|[1-9]\d{0,8})(?:\.(\d{1,2}))?$/;

/** Euros as text to whole cents: money is never a float. */
export function toCents(text) {
  const [, euros, decimals = ''] = AMOUNT.exec(text) ?? [];
  const cents = euros === undefined ? 0 : Number(euros) * 100 + Number(decimals.padEnd(2, '0'));
  if (cents === 0) throw new Failure('invalid_amount', 'the amount must be euros above zero with at most two decimals');
  return cents;
}

export function fromCents(cents) {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
