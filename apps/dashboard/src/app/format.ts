import { escapeInvisible } from '@hcp/core';

const MOMENT = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const SECOND = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const LONG_AGO = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const LONG_AGO_SECOND = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const HALF_A_YEAR_MS = 183 * 24 * 3_600_000;
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const NUMBER = new Intl.NumberFormat();

/** Short; with the year where one might take it for another one's. */
export function moment(at: string): string {
  const date = new Date(at);
  return (isNear(date) ? MOMENT : LONG_AGO).format(date);
}
/** As `moment`, to the second: where many come in one minute. */
export function momentToSecond(at: string): string {
  const date = new Date(at);
  return (isNear(date) ? SECOND : LONG_AGO_SECOND).format(date);
}
const isNear = (date: Date): boolean => Math.abs(Date.now() - date.getTime()) < HALF_A_YEAR_MS;
export const exactMoment = (at: string): string => EXACT.format(new Date(at));
export const number = (value: number): string => NUMBER.format(value);

/** `850 ms`, `12.3 s`, `4 min 10 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** A span that somebody chose: `15 min`, `1 h 30 min`, `7 days`. */
export function span(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  const parts = [
    days > 0 && `${String(days)} ${days === 1 ? 'day' : 'days'}`,
    hours > 0 && `${String(hours)} h`,
    minutes > 0 && `${String(minutes)} min`,
    rest > 0 && `${String(rest)} s`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

const BYTES = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** `512 B`, `1.4 MiB`. */
export function bytes(size: number): string {
  let value = size;
  let unit = 0;
  while (value >= 1024 && unit < BYTES.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number.isInteger(value) ? String(value) : value.toFixed(1)} ${BYTES[unit] ?? ''}`;
}

/** `14:59`, `1:02:03`; what is left of a clock. */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(left / 3600);
  const rest = `${two(Math.floor((left % 3600) / 60))}:${two(left % 60)}`;
  return hours > 0 ? `${String(hours)}:${rest}` : rest;
}

/** Text of several lines: line breaks and tabs stay, everything else that cannot be seen is written as an escape. */
export const escapeLines = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escapeInvisible(part)))
    .join('');

/** The first part of an id, to tell apart what has no name. */
export const shortId = (id: string): string => id.slice(-8);

/** `approval.decide` as a person reads it: `approval decide`; `timed_out`: `timed out`. */
export const spaced = (code: string): string => code.replace(/[._]/g, ' ');
