import { Alert, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Approval } from '@hcp/contracts';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { Card } from './card.js';
import { Decide } from './decide.js';
import { Facts } from './facts.js';
import { Outcome } from './outcome.js';
import { approvalQuery } from './queries.js';
import classes from './approval.module.css';

const route = getRouteApi('/approvals/$id');

export function ApprovalPage() {
  const { id } = route.useParams();
  const [full, setFull] = useState(false);
  const query = useQuery(approvalQuery(id, full));
  const short = useQuery({ ...approvalQuery(id, false), enabled: full });
  // While the card in full is on its way, the short one stays.
  const shown = query.data ?? short.data;
  return (
    <Page title="Approval" actions={<TextLink to="/approvals">All approvals</TextLink>}>
      {shown === undefined ? (
        <Loaded query={query}>{() => null}</Loaded>
      ) : (
        <Request approval={shown} full={full && query.data !== undefined} onFull={() => setFull(true)} />
      )}
    </Page>
  );
}

interface RequestProps {
  readonly approval: Approval;
  readonly full: boolean;
  readonly onFull: () => void;
}

function Request({ approval, full, onFull }: RequestProps) {
  const { card } = approval;
  return (
    <div className={classes['columns']}>
      <Stack>
        <Outcome approval={approval} />
        {card === null ? (
          <Alert color="gray" variant="light">
            The values of this call are not kept any more. Names of its arguments:{' '}
            {approval.arg_names.join(', ') || 'none'}.
          </Alert>
        ) : (
          <Card card={card} full={full} />
        )}
        {card !== null && !card.view.complete && !full && (
          <Alert color="yellow" variant="light" title="Some values are too long to show whole">
            <Stack align="flex-start" gap="xs">
              Read them in full before you say yes.
              <Button size="xs" variant="default" onClick={onFull}>
                Open in full
              </Button>
            </Stack>
          </Alert>
        )}
      </Stack>
      <Stack>
        {approval.state === 'pending' && card !== null && <Decide key={approval.id} approval={approval} />}
        <Facts approval={approval} />
      </Stack>
    </div>
  );
}
