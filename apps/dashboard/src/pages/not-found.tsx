import { ButtonLink } from '../parts/link.js';
import { Empty } from '../parts/empty.js';
import { Page } from '../parts/page.js';

export function NotFound() {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address" action={<ButtonLink to="/">Go to the overview</ButtonLink>} />
    </Page>
  );
}
