import type { StartPage } from '@hcp/bindings';
import { escapeInvisible } from '@hcp/core';

/** For the browser of somebody who may know nothing of this product: plain HTML, no script, no style. */
function page(title: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('\n');
  return (
    `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title></head>\n` +
    `<body>\n<h1>${escaped(title)}</h1>\n${body}\n</body>\n</html>\n`
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Names are people's and packs' own: what cannot be seen is shown, and nothing of it is HTML (SPEC C3). */
const escaped = (text: string): string =>
  escapeInvisible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const strong = (text: string): string => `<strong>${escaped(text)}</strong>`;

/** Asks the person to look before the account is given to whoever began. */
export function startHtml({ who, tenant, pack_id, provider, shared, scopes, code }: StartPage, go: string): string {
  const whose = shared ? `for everybody in ${strong(tenant)}` : `for ${strong(who)} in ${strong(tenant)}`;
  return page(`Connect ${provider}`, [
    `The commands of ${strong(pack_id)} are to use your account at ${strong(provider)}, ${whose}.`,
    ...(scopes.length > 0 ? [`What they ask for: ${scopes.map(strong).join(', ')}.`] : []),
    `Go on only if you began this just now, and the code there is ${strong(code)}. Whoever sent you this link otherwise would get your account.`,
    `<a href="${escaped(go)}" rel="noreferrer">Go on to ${escaped(provider)}</a>`,
  ]);
}

export function connectedHtml(pack_id: string, provider: string, account_name: string | null): string {
  const as = account_name === null ? '' : ` as ${strong(account_name)}`;
  return page('Connected', [
    `${strong(pack_id)} is connected to ${strong(provider)}${as}.`,
    'You can close this page.',
  ]);
}

/** Says what to do next; `why` is ours. */
export function stuckHtml(why: string): string {
  return page('Not connected', [
    escaped(why),
    'Nothing was connected. Begin again where you began: <code>hcpx connect PACK</code>, or the page that sent you here. You can close this page.',
  ]);
}
