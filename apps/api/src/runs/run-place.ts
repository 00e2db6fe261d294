/** How far a reader of a run's events is. */
export interface Place {
  /** The number of the last state that it heard of; -1 for none. */
  step: number;
  /** Which start of the command the rest is of. */
  attempt: number;
  /** The last row of output that it was told while the command ran. */
  seq: number;
  /** Characters that it has of each stream. */
  stdout: number;
  stderr: number;
}

const ID = /^(\d{1,2})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** A place as the id of an event. It says nothing that its reader was not told. */
export const placeId = ({ step, attempt, seq, stdout, stderr }: Place): string =>
  [step, attempt, seq, stdout, stderr].join('.');

/** Whatever is none is the beginning. */
export function openPlace(id: string | undefined): Place {
  const [, step, attempt, seq, stdout, stderr] = ID.exec(id ?? '') ?? [];
  return {
    step: Number(step ?? -1),
    attempt: Number(attempt ?? 0),
    seq: Number(seq ?? 0),
    stdout: Number(stdout ?? 0),
    stderr: Number(stderr ?? 0),
  };
}
