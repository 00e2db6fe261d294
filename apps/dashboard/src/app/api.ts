import { remote } from '@hcp/sdk';

/** The API that served this page, with the browser's own session cookie: no script ever holds a token. */
export const runtime = remote({ url: location.origin, browser_session: true });
export const { api } = runtime;
