/** What a command may be called: words with dots between. */
export const VERB_KEY = /^[a-z][a-z0-9_-]{0,62}(\.[a-z][a-z0-9_-]{0,62}){0,3}$/;
export const VERB_WORDS = 'must be lower-case words with dots between, such as payee.add';
/** What an argument may be called. */
export const ARG_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
