import { type ExportAuditQuery, LINES_TYPE } from '@hcp/contracts';
import { HcpError } from '../errors.js';
import type { CallOptions } from '../runtime.js';
import { problemOf, type Transport } from './transport.js';

/**
 * The audit log as bytes, as they come: lines of JSON for a file or for `verifyExport`. Whoever stops reading stops the
 * API from sending.
 */
export async function* exportAudit(
  t: Transport,
  query: ExportAuditQuery,
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const headers = { accept: `${LINES_TYPE}, application/problem+json` };
  const response = await t.send('audit_export', { query }, { ...options, headers });
  if (!response.ok) throw await problemOf(response);
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new HcpError({ code: 'network', status: response.status, message: 'the export broke off', cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
