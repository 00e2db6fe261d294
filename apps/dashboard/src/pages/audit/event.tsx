import { Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { spaced } from '../../app/format.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { EventFacts } from './event-facts.js';
import { Proof } from './proof.js';
import { eventQuery } from './queries.js';

const route = getRouteApi('/audit/$id');

export function AuditEventPage() {
  const { id } = route.useParams();
  const query = useQuery(eventQuery(id));
  const title = query.data ? spaced(query.data.action) : 'Audit event';
  return (
    <Page title={title} actions={<TextLink to="/audit">The whole log</TextLink>}>
      <Loaded query={query}>
        {(event) => (
          <Stack>
            <EventFacts event={event} />
            <Paper withBorder p="lg" component="section" aria-label="Proof">
              <Title order={2} size="h5" mb="sm">
                Proof
              </Title>
              <Proof id={event.id} />
            </Paper>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
