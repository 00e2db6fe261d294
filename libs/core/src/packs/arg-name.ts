/** What an argument may be called. */
export const ARG_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
