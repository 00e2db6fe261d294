import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { Effective } from './effective.js';
import { Ignored } from './ignored.js';
import { ModeControl } from './mode.js';
import { ACCESS } from './queries.js';
import { Rules } from './rules.js';
import { Tester } from './tester.js';

export function AccessPage() {
  const query = useQuery(ACCESS);
  return (
    <Page title="Access" about="What runs without asking, what asks a person first, what never runs, and why.">
      <Loaded query={query}>
        {(access) => (
          <>
            <ModeControl access={access} />
            <Rules />
            <Tester />
            <Effective access={access} />
            <Ignored ignored={access.ignored} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
