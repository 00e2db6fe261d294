import { Button, Paper } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { CreatedInvitation, CreateTenant } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { Dialog } from '../../../parts/dialog.js';
import { Empty } from '../../../parts/empty.js';
import { Listed } from '../../../parts/listed.js';
import { Page } from '../../../parts/page.js';
import { only } from '../only.js';
import { AddTenant } from './add-tenant.js';
import { Invited } from './invited.js';
import { tenantPages, tenantsChanged } from './queries.js';
import { TenantRow } from './tenant-row.js';

/** Every tenant of the installation, for its operator (SPEC T3). */
export const Tenants = only('platform.manage', 'Tenants', function Tenants() {
  const query = useInfiniteQuery(tenantPages);
  const [opened, setOpened] = useState(false);
  const [invitation, setInvitation] = useState<CreatedInvitation | null>(null);
  const create = async (value: CreateTenant): Promise<void> => {
    setInvitation((await api.tenants.create(value)).invitation);
    setOpened(false);
    await tenantsChanged();
  };
  return (
    <Page
      title="Tenants"
      about="Stopping one stops its people, keys and runs at once."
      actions={<Button onClick={() => setOpened(true)}>Create a tenant</Button>}
    >
      {invitation !== null && <Invited invitation={invitation} onDone={() => setInvitation(null)} />}
      <Listed
        query={query}
        empty={<Empty title="There is no tenant yet">Create the first one, and invite its owner.</Empty>}
      >
        {(tenants) => (
          <Paper withBorder>
            <ul className="hcp-list" aria-label="Tenants">
              {tenants.map((tenant) => (
                <li key={tenant.id} className="hcp-row">
                  <TenantRow tenant={tenant} onInvited={setInvitation} />
                </li>
              ))}
            </ul>
          </Paper>
        )}
      </Listed>
      <Dialog opened={opened} onClose={() => setOpened(false)} title="Create a tenant">
        <AddTenant onCreate={create} />
      </Dialog>
    </Page>
  );
});
