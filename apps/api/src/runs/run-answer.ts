import type { Run as RunAnswer, RunSummary } from '@hcp/contracts';
import type { NamedRunView } from '@hcp/runs';

const time = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A run's metadata as the wire has it. */
export function runSummary({ run, principal_name, acts_for_name }: NamedRunView): RunSummary {
  return {
    id: run.id,
    status: run.status as RunSummary['status'],
    pack_id: run.pack_id,
    verb_key: run.verb_key,
    operation: run.operation as RunSummary['operation'],
    land: run.land as RunSummary['land'],
    principal_id: run.principal_id,
    principal_kind: run.principal_kind as RunSummary['principal_kind'],
    principal_name,
    acts_for: run.acts_for,
    acts_for_name,
    project_id: run.project_id,
    pack_version: run.pack_version,
    pack_digest: run.pack_digest,
    created_at: run.created_at.toISOString(),
    started_at: time(run.started_at),
    finished_at: time(run.finished_at),
    duration_ms: run.duration_ms,
    timeout_ms: run.timeout_ms,
    ok: run.ok,
    code: run.code as RunSummary['code'],
    exit_code: run.exit_code,
    truncated: run.truncated,
    attempts: run.attempts,
    arg_names: run.arg_names,
    output_erased_at: time(run.output_erased_at),
  };
}

type Outcome = Pick<RunAnswer, 'result' | 'error' | 'stdout' | 'stderr' | 'egress'>;

export function runAnswer(view: NamedRunView, outcome: Outcome | null): RunAnswer {
  const { result, error, stdout, stderr, egress } = outcome ?? {};
  return {
    ...runSummary(view),
    ...(view.run.status === 'queued' && { waiting_for: 'a free worker' }),
    ...(outcome && {
      result,
      ...(error !== undefined && { error }),
      ...(stdout !== undefined && { stdout }),
      ...(stderr !== undefined && { stderr }),
      ...(egress !== undefined && { egress }),
    }),
  };
}
