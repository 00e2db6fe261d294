/** Why an event does not hold, for whoever sees it. */
export const NOT_PROVEN = {
  key: 'The key that came with the proof cannot be read.',
  checkpoint: 'The checkpoint does not bear the signature of the log’s key.',
  other_event: 'The proof that came is of another event.',
  changed: 'The log has this event, but not as it is shown here: it was changed since it was logged.',
  not_in_log: 'The log does not have this event where the proof says it is.',
} as const;
