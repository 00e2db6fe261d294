import { z } from 'zod';
import type { ListAuditQuery } from '@hcp/contracts';

/** The filters as they stand in the address, so that a link shows others the same. */
export interface AuditSearch {
  readonly from?: string;
  readonly until?: string;
  readonly who?: string;
  readonly pack?: string;
  readonly action?: string;
  readonly decision?: 'allow' | 'ask' | 'deny';
  readonly run?: string;
}

const FIELDS = {
  from: z.iso.datetime({ offset: true }),
  until: z.iso.datetime({ offset: true }),
  who: z.uuid(),
  pack: z.string().min(1).max(100),
  action: z.string().min(1).max(100),
  decision: z.enum(['allow', 'ask', 'deny']),
  run: z.uuid(),
} as const;

/** Whoever wrote the address: what is no filter is left out, and the rest counts. */
export function readAuditSearch(raw: Readonly<Record<string, unknown>>): AuditSearch {
  const found = Object.entries(FIELDS).flatMap(([name, schema]) => {
    const read = schema.safeParse(raw[name]);
    return read.success ? [[name, read.data] as const] : [];
  });
  return Object.fromEntries(found);
}

export const queryOf = (search: AuditSearch): Omit<ListAuditQuery, 'limit' | 'cursor'> => ({
  from: search.from,
  to: search.until,
  principal_id: search.who,
  pack_id: search.pack,
  action: search.action,
  decision: search.decision,
  run_id: search.run,
});

export const isUuid = (text: string): boolean => FIELDS.who.safeParse(text).success;
