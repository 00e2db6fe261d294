/** SPEC T4. */
export const SESSION_MS = 8 * 3600_000;
