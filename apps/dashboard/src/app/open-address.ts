import { useSyncExternalStore } from 'react';

/** Pages for people who may have no session: what links in mails lead to. */
export type OpenPage = 'invitation' | 'reset';
const PAGES: Readonly<Record<string, OpenPage>> = { '/invitation': 'invitation', '/reset': 'reset' };

/** Which of them the address is; null: one of the pages behind the sign-in. */
export const openPage = (): OpenPage | null => PAGES[location.pathname.replace(/\/+$/, '')] ?? null;

let token: string | null = null;
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const each of listeners) each();
};

/** The token of a link leaves the address as soon as it is read: from there it would go into the history and to who looks on. */
function take(): void {
  if (openPage() === null || location.hash.length < 2) return;
  token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  tell();
}
take();
// Another link, pasted where the page is open already.
addEventListener('hashchange', take);

/** The token of the link that led here; it is in this variable and nowhere else. */
export const useLinkToken = (): string | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => token,
  );

/** It was used, or is not good. */
export function forgetLinkToken(): void {
  token = null;
  tell();
}
