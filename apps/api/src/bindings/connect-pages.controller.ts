import { Controller, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { arrive, CALLBACK_PATH, depart, startPage, type BrowserDeps } from '@hcp/bindings';
import { connectPageQuerySchema, idParamsSchema, type ConnectPageQuery } from '@hcp/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route } from '../platform/route.js';
import { connectedHtml, startHtml, stuckHtml } from './pages.js';
import { CONNECTING } from './tokens.js';

/**
 * The two pages that a browser sees on its way to a provider and back (SPEC B2, T5). They take no credentials: the link
 * and the state are secrets that are good once, and a cookie ties them to one browser.
 */
@Controller()
export class ConnectPagesController {
  constructor(@Inject(CONNECTING) private readonly connecting: BrowserDeps) {}

  @Route('connections_start')
  async start(
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Query({ schema: connectPageQuerySchema }) { ticket = '', go }: ConnectPageQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (go === undefined) {
      const shown = await startPage(this.connecting, id, ticket);
      const next = `?${new URLSearchParams({ ticket, go: '1' }).toString()}`;
      await html(reply, shown.ok ? 200 : 400, shown.ok ? startHtml(shown, next) : stuckHtml(shown.why));
      return;
    }
    const left = await depart(this.connecting, id, ticket);
    if (!left.ok) {
      await html(reply, 400, stuckHtml(left.why));
      return;
    }
    void reply.header('Set-Cookie', this.#cookie(id, left.browser, left.max_age_s));
    await reply.redirect(left.location, 302);
  }

  @Route('bindings_callback')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = new URL(request.url, this.connecting.public_url).searchParams;
    const arrived = await arrive(this.connecting, query, (id) => readCookie(request.headers.cookie, nameOf(id)));
    if (arrived.to_dashboard !== null) {
      // An address of this installation, made of an id that it knows: nothing that the browser brought decides where it goes.
      await reply.redirect(`${this.connecting.public_url}/bindings/connections/${arrived.to_dashboard}`, 303);
      return;
    }
    await html(
      reply,
      arrived.ok ? 200 : 400,
      arrived.ok ? connectedHtml(arrived.pack_id, arrived.provider, arrived.account_name) : stuckHtml(arrived.why),
    );
  }

  /** Sent along by a browser that another site, the provider, leads back here; and to no other path. */
  #cookie(id: string, value: string, max_age_s: number): string {
    const secure = this.connecting.public_url.startsWith('https:') ? '; Secure' : '';
    return `${nameOf(id)}=${value}; Path=${CALLBACK_PATH}; Max-Age=${String(max_age_s)}; HttpOnly; SameSite=Lax${secure}`;
  }
}

const nameOf = (id: string): string => `hcp_connect_${id}`;

function readCookie(header: string | undefined, name: string): string | undefined {
  const found =
    header
      ?.split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`)) ?? [];
  // Two of one name: another site of this domain may have planted one.
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
}

const html = async (reply: FastifyReply, status: number, text: string): Promise<void> => {
  await reply.status(status).type('text/html; charset=utf-8').send(text);
};
