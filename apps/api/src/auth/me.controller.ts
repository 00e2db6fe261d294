import { Controller, Inject } from '@nestjs/common';
import type { Me } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { describeCaller } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';

@Controller()
export class MeController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('me')
  async me(@CurrentCaller() caller: Caller): Promise<Me> {
    const { tenant, expires_at, roles, email } = await describeCaller(this.db, caller);
    const { principal, session, authority } = caller;
    return {
      principal: { ...principal, name: caller.name, ...(email === null ? {} : { email }) },
      acts_for: caller.acts_for,
      tenant,
      session: {
        id: session.id,
        interactive: session.interactive,
        project_id: session.project_id,
        packs: session.packs ? [...session.packs] : null,
        expires_at: expires_at?.toISOString() ?? null,
      },
      grants: authority.layers.map((layer) =>
        layer.map(({ verb_keys, ...grant }) => ({ ...grant, ...(verb_keys ? { verb_keys: [...verb_keys] } : {}) })),
      ),
      roles: [...roles],
      is_agent: caller.is_agent,
    };
  }
}
