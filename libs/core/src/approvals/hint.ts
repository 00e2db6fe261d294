/**
 * What to do next about a call that a person said no to a while ago and that asks again (SPEC E4, V5).
 * @param hint of the ask
 * @param rejected_at when that was, RFC 3339; absent: nobody did
 */
export const hintAfterNo = (hint: string, rejected_at: string | undefined): string =>
  rejected_at === undefined
    ? hint
    : `A person said no to exactly this call at ${rejected_at}: stop here and do not ask for it again unless they want ` +
      `it now. ${hint}`;
