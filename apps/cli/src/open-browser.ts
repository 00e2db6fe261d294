import { spawn } from 'node:child_process';

/** What opens an address on each kind of machine. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Opens a page in the person's browser, where there is one; the link was printed too, so nothing is said where there is
 * none. The address is an argument of its own and no shell sees it.
 */
export function openBrowser(address: string): void {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return;
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, new URL(address).href], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
