import { Alert, Button, Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Binding, CreateBinding, PackDetail } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { useAct } from '../../app/act.js';
import { may, useMe } from '../../app/session.js';
import { FormError } from '../../parts/form-error.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Connecting } from './connecting.js';
import { bindingsChanged } from './queries.js';
import { ScopeFields, type Scope } from './scope-fields.js';
import { readSecret, SecretFields, secretPaths } from './secret-fields.js';

type Needed = NonNullable<PackDetail['binding']>;
type Kind = Binding['kind'];
type Family = CreateBinding['family'];

const WAY: Record<Kind, (provider: string) => { label: string; description: string }> = {
  oauth2_code: (provider) => ({
    label: `Sign in at ${provider}`,
    description: 'You agree in your browser. Nobody copies a token, and it is renewed by itself.',
  }),
  oauth2_client_credentials: (provider) => ({
    label: 'Client credentials',
    description: `The own account of this tenant’s OAuth client at ${provider}.`,
  }),
  secret: () => ({ label: 'Secret', description: 'A token or password that you have, stored encrypted.' }),
  workload_token: () => ({
    label: 'Workload token',
    description:
      'Nothing is stored: each run is lent a token that is signed for it, for a service that trusts this issuer.',
  }),
};

const VERB: Record<Kind, string> = {
  oauth2_code: 'Go on',
  oauth2_client_credentials: 'Connect',
  secret: 'Store the secret',
  workload_token: 'Connect',
};

const route = getRouteApi('/bindings/connect');

/** How, for whom, and what it takes. */
export function ConnectForm({ pack_id, needed }: { pack_id: string; needed: Needed }) {
  const me = useMe();
  const search = route.useSearch();
  const navigate = useNavigate();
  const manages = may(me, 'binding.manage');
  const ways = needed.ways.filter(({ kind, ready }) => ready && (kind !== 'oauth2_client_credentials' || manages));
  const [chosen, setKind] = useState<Kind>();
  const kind = chosen ?? ways[0]?.kind ?? 'secret';
  const [family, setFamily] = useState<Family>((needed.families[0] ?? 'user') as Family);
  const [scope, setScope] = useState<Scope>({
    project_id: search.project ?? null,
    shared: (search.shared ?? false) || !may(me, 'pack.connect'),
  });
  const [going, setGoing] = useState(false);
  const [made, setMade] = useState<Binding | null>(null);
  // The platform's own credential is nobody's.
  const shared = scope.shared || family === 'mothership';
  const where = {
    pack_id,
    family,
    ...(scope.project_id !== null && { project_id: scope.project_id }),
    ...(shared && { shared }),
  };
  const sending = useAct(async (form: HTMLFormElement) => {
    const rest = given(kind, form, needed);
    setMade(await api.bindings.create({ ...where, kind: kind as CreateBinding['kind'], ...rest }));
    await bindingsChanged();
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (kind === 'oauth2_code') setGoing(true);
    else sending.run(event.currentTarget);
  };

  if (made !== null) return <Made binding={made} />;
  if (going) return <Connecting wanted={where} onDone={() => void navigate({ to: '/bindings' })} />;
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack>
        {ways.length > 1 && (
          <Radio.Group label="How" value={kind} onChange={(value) => (setKind(value), sending.clear())}>
            <Stack gap="xs" mt={4}>
              {ways.map((way) => (
                <Radio key={way.kind} value={way.kind} {...WAY[way.kind](needed.provider ?? 'the provider')} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <NotReady needed={needed} />
        {needed.families.length > 1 && (
          <Select
            label="Family"
            description="Whose credential the commands run with."
            allowDeselect={false}
            data={needed.families}
            value={family}
            onChange={(value) => value && setFamily(value as Family)}
            error={atField(sending.error, '/family')}
          />
        )}
        <ScopeFields scope={scope} onChange={setScope} forced={family === 'mothership'} />
        {kind === 'secret' && <SecretFields needed={needed} error={sending.error} />}
        {kind === 'workload_token' && (
          <TextInput
            name="audience"
            label="Audience"
            description="What the service expects in the aud of its tokens."
            required
            error={atField(sending.error, '/audience')}
          />
        )}
        <FormError
          error={sending.error}
          fields={[...secretPaths(needed.fields), '/audience', '/family']}
          title="Not connected"
        />

        <Group>
          <Button type="submit" loading={sending.busy}>
            {VERB[kind]}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function given(kind: Kind, form: HTMLFormElement, { fields }: Needed): Partial<CreateBinding> {
  if (kind === 'secret') return readSecret(form, fields);
  if (kind !== 'workload_token') return {};
  const audience = new FormData(form).get('audience');
  return { audience: typeof audience === 'string' ? audience : '' };
}

/** What a tenant's manager can do so that people sign in in place of copying tokens. */
function NotReady({ needed: { ways, provider } }: { needed: Needed }) {
  const me = useMe();
  const missing = ways.some(({ kind, ready }) => kind === 'oauth2_code' && !ready);
  if (!missing || provider === null || !may(me, 'tenant.manage')) return null;
  return (
    <Text size="sm" c="dimmed">
      People can sign in at {provider} in place of copying a token once{' '}
      <TextLink to="/settings/providers" search={{ provider }} underline="always">
        an OAuth client for it is registered
      </TextLink>
      .
    </Text>
  );
}

function Made({ binding: { id, pack_id, principal_id } }: { binding: Binding }) {
  return (
    <Stack>
      <Alert color="green" variant="light" role="status" title={`${pack_id} is connected`}>
        {principal_id === null ? 'Everybody’s' : 'Your'} commands of it have the credential from now on.
      </Alert>
      <Group>
        <ButtonLink to="/bindings/$id" params={{ id }}>
          See the binding
        </ButtonLink>
        <ButtonLink to="/commands" variant="default">
          Choose a command
        </ButtonLink>
      </Group>
    </Stack>
  );
}
