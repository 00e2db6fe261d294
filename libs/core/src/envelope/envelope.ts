/** A parsed, well-formed exec envelope (SPEC E1). */
export interface ExecEnvelope {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly approval_id?: string;
  readonly approval?: { readonly by: 'human'; readonly id: string };
  readonly run_on_approve?: boolean;
  readonly idempotency_key?: string;
  readonly wait_ms?: number;
}
