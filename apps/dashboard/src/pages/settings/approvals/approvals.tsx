import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../../parts/loading.js';
import { Page } from '../../../parts/page.js';
import { accessIn } from '../../access/queries.js';
import { only } from '../only.js';
import { ApprovalForm } from './form.js';
import { Operator } from './operator.js';

/** How the tenant approves (SPEC V4). */
export const ApprovalSettings = only('access.manage', 'Approvals', function ApprovalSettings() {
  const query = useQuery(accessIn(null));
  return (
    <Page
      title="How the tenant approves"
      about="What a yes takes. A change counts for what is asked from now on; requests that wait keep what they began with."
    >
      <Loaded query={query}>
        {(access) => (
          <>
            <ApprovalForm access={access} />
            <Operator access={access} />
          </>
        )}
      </Loaded>
    </Page>
  );
});
