import { usage } from '../failure.js';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** When something ends: `30d` from now (m, h, d, w), a day (from 0:00 UTC), or RFC 3339. Answers RFC 3339. */
export function timeFrom(text: string, option: string, now: Date): string {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const time = unit === '' ? new Date(dateText(text)) : new Date(now.getTime() + Number(count) * (UNIT_MS[unit] ?? 0));
  // The same day again: 2027-02-30 is no date, and must not become the second of March.
  const real = unit !== '' || new Date(`${text.slice(0, 10)}T00:00:00Z`).toJSON()?.slice(0, 10) === text.slice(0, 10);
  if (!Number.isNaN(time.getTime()) && real) return time.toISOString();
  throw usage(`${option} is no time`, 'Write 30d (m, h, d, w from now), 2027-01-31, or 2027-01-31T12:00:00Z.');
}

/** How long, in seconds: `8h` (m, h, d, w), or a number of them. */
export function secondsFrom(text: string, option: string, { min, max }: { min: number; max: number }): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([mhdw]?)$/.exec(text) ?? [];
  const seconds = unit === '' ? Number(count) : (Number(count) * (UNIT_MS[unit] ?? 0)) / 1000;
  if (count !== '' && seconds >= min && seconds <= max) return seconds;
  throw usage(`${option} is no time that it can be`, `Write 8h (m, h, d, w) or seconds, from ${min} to ${max}.`);
}

function dateText(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  return /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.test(text) ? text : '';
}

export const optionalTime = (text: string | undefined, now: Date): string | undefined =>
  text === undefined ? undefined : timeFrom(text, '--expires', now);
