/**
 * The versions that a tenant may use: its own and the platform's (SPEC P7). The policies of the database show it no
 * others; the condition says so here too.
 */
export function readable(tenant_id: string): { OR: [{ tenant_id: string }, { platform: true }] } {
  return { OR: [{ tenant_id }, { platform: true }] };
}
