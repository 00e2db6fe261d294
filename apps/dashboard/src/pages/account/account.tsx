import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { useMe } from '../../app/session.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { Section } from '../../parts/section.js';
import { AgentRow } from './agent-row.js';
import { Keys } from '../people/keys.js';
import { agentsOf } from '../people/queries.js';
import { YourRights } from './your-rights.js';
import { Password } from './password.js';
import { Sessions } from './sessions.js';

/** What a person sees and changes of their own, whatever they may do besides. */
export function Account() {
  const me = useMe();
  const { name, email } = me.principal;
  return (
    <Page
      title="Your account"
      about={
        <span className="hcp-value">
          {escapeInvisible(name)}
          {email !== undefined && ` · ${escapeInvisible(email)}`} · at {escapeInvisible(me.tenant.name)}
        </span>
      }
    >
      <YourRights />
      <Sessions />
      <Password />
      <Keys principal_id={me.principal.id} whose="your" creates />
      <YourAgents />
    </Page>
  );
}

function YourAgents() {
  const me = useMe();
  const query = useQuery(agentsOf(me.principal.id));
  return (
    <Section
      title="Agents that act for you"
      about="Each can do only what both you and it may; what it asks comes to you."
    >
      <Loaded query={query}>
        {(agents) =>
          agents.length === 0 ? (
            <Text c="dimmed">There is none.</Text>
          ) : (
            <ul className="hcp-list" aria-label="Agents that act for you">
              {agents.map((agent) => (
                <li key={agent.id} className="hcp-row">
                  <AgentRow agent={agent} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
