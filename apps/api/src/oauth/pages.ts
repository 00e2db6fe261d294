import { createHash } from 'node:crypto';
import { escapeInvisible } from '@hcp/core';
import { redirectPlace, type AuthorizationRequest, type Question } from '@hcp/tenancy';
import type { FastifyReply } from 'fastify';
import { html, Html } from './html.js';

const STYLE = `
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:26rem;padding:2rem 1rem}
h1{font-size:1.4rem;line-height:1.3}
label,legend{font-weight:600}
label.one{display:flex;gap:.5rem;font-weight:400;padding:.25rem 0}
input[type=email],input[type=password]{box-sizing:border-box;font:inherit;margin:.25rem 0 1rem;padding:.5rem;width:100%}
fieldset{border:1px solid;border-radius:.25rem;margin:1rem 0}
button{font:inherit;margin-right:.5rem;min-height:2.75rem;padding:.5rem 1.25rem}
dt{font-weight:600}
dd{margin:0 0 .5rem;overflow-wrap:anywhere}
.wrong{border-left:.25rem solid #c00;padding-left:.75rem}
`;
/** Made apart from the template, whose blanks a formatter may move: the hash is of these very characters. */
const STYLE_TAG = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE, 'utf8').digest('base64');

/** A page and where its form may lead, the redirects after it included. */
export interface PageAnswer {
  readonly status: number;
  readonly body: Html;
  readonly leads_to?: string;
}

/** Sends a page: no script, no frame, no style but its own, and a form to this API alone. */
export function sendPage(reply: FastifyReply, { status, body, leads_to }: PageAnswer): FastifyReply {
  const actions = ["'self'", ...(leads_to === undefined ? [] : [formTarget(leads_to)])].join(' ');
  return reply
    .status(status)
    .headers({
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${actions}; base-uri 'none'; frame-ancestors 'none'`,
      // By `no-referrer` browsers would send the form with the origin null, which is refused like another site's.
      'Referrer-Policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(body.text);
}

/** The client's address as a source of the policy: browsers hold the redirect after a form to it as well. */
function formTarget(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri);
  // The policy's grammar knows no IPv6 addresses, and an app's scheme has no origin.
  const named = (protocol === 'https:' || protocol === 'http:') && !hostname.startsWith('[');
  return named ? origin : protocol;
}

export function loginPage(request: AuthorizationRequest, ticket: string, wrong?: string): Html {
  return page(
    'Sign in',
    html`<p><strong>${shown(request.client_name)}</strong> wants to act for you here. Sign in to decide.</p>
      ${wrong === undefined ? '' : html`<p class="wrong" role="alert">${wrong}</p>`}
      <form method="post" action="login">
        <input type="hidden" name="ticket" value="${ticket}" />
        <label for="email">Email</label>
        <input id="email" name="email" type="email" autocomplete="username" required autofocus />
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <button type="submit">Sign in</button>
      </form>`,
  );
}

export function consentPage({ request, ticket, tenants }: Question, wrong?: string): Html {
  const place = redirectPlace(request.redirect_uri);
  return page(
    `Let ${shown(request.client_name)} act for you?`,
    html`<p>
        It acts as an agent for you: it can run what you may run, under the rules for agents. It can never approve.
      </p>
      ${wrong === undefined ? '' : html`<p class="wrong" role="alert">${wrong}</p>`}
      <dl>
        <dt>Calls itself</dt>
        <dd>${shown(request.client_name)} (nobody has checked that)</dd>
        ${
          request.client_id.startsWith('http')
            ? html`<dt>Described at</dt>
                <dd>${shown(request.client_id)}</dd>`
            : ''
        }
        <dt>Sends you back to</dt>
        <dd>${shown(place)}</dd>
        <dt>Ends</dt>
        <dd>after 8 hours, or when you revoke its session</dd>
      </dl>
      <form method="post" action="consent">
        <input type="hidden" name="ticket" value="${ticket}" />
        <fieldset>
          <legend>Tenant</legend>
          ${tenants.map(
            ({ id, name }, index) =>
              html`<label class="one"
                ><input
                  type="radio"
                  name="tenant_id"
                  value="${id}"
                  required${index === 0 ? html` checked` : ''}
                />${shown(name)}</label
              >`,
          )}
        </fieldset>
        <button type="submit" name="answer" value="yes">Allow</button>
        <button type="submit" name="answer" value="no">Refuse</button>
      </form>`,
  );
}

export function refusalPage(detail: string): Html {
  return page(
    'This does not work',
    // As it is: it may begin with the name of a parameter.
    html`<p class="wrong" role="alert">Why: ${detail}.</p>
      <p>Nothing was given to anybody. Go back to your program and start again.</p>`,
  );
}

function page(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${STYLE_TAG}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
}

const shown = (text: string): string => escapeInvisible(text);
