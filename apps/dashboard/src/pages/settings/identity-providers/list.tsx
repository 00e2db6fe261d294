import { Button, Paper } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { CreateOidcIssuer } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { Dialog } from '../../../parts/dialog.js';
import { Empty } from '../../../parts/empty.js';
import { Listed } from '../../../parts/listed.js';
import { Page } from '../../../parts/page.js';
import { Said } from '../../../parts/said.js';
import { only } from '../only.js';
import { AddIssuer } from './add-issuer.js';
import { IssuerRow } from './issuer-row.js';
import { issuerPages, issuersChanged } from './queries.js';

/** Whose tokens count here besides our own (SPEC T5). */
export const IdentityProviders = only('tenant.manage', 'Identity providers', function IdentityProviders() {
  const query = useInfiniteQuery(issuerPages);
  const [opened, setOpened] = useState(false);
  const create = useMutation({
    mutationFn: async (value: CreateOidcIssuer) => {
      const created = await api.oidcIssuers.create(value);
      await issuersChanged();
      return created;
    },
    onSuccess: () => setOpened(false),
  });
  return (
    <Page
      title="Identity providers"
      about="OpenID Connect providers whose tokens count here, besides signing in with a password."
      actions={<Button onClick={() => setOpened(true)}>Add a provider</Button>}
    >
      {create.isSuccess && !opened && (
        <Said>{`The provider is added. Its tokens count for the audience ${create.data.audience}.`}</Said>
      )}
      <Listed
        query={query}
        empty={
          <Empty title="There is no identity provider yet">
            Add the issuer that your people or workloads have tokens of. Then say which subject is which principal, or
            let it make a principal when a subject first comes.
          </Empty>
        }
      >
        {(issuers) => (
          <Paper withBorder>
            <ul className="hcp-list" aria-label="Identity providers">
              {issuers.map((issuer) => (
                <li key={issuer.id} className="hcp-row">
                  <IssuerRow issuer={issuer} />
                </li>
              ))}
            </ul>
          </Paper>
        )}
      </Listed>
      <Dialog
        opened={opened}
        onClose={() => {
          create.reset();
          setOpened(false);
        }}
        title="Add a provider"
      >
        <AddIssuer pending={create.isPending} error={create.error} onSubmit={(value) => create.mutate(value)} />
      </Dialog>
    </Page>
  );
});
