import { Alert, Anchor, Button, Center, Paper, PasswordInput, Radio, Stack, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { HcpError } from '@hcp/sdk';
import { type FormEvent, useEffect, useState } from 'react';
import { api } from '../app/api.js';
import { ME, queryClient } from '../app/queries.js';
import { ErrorBox } from '../parts/error-box.js';

/** The tenants to choose from, where the person belongs to several. */
const choices = (error: unknown): { id: string; name: string }[] =>
  error instanceof HcpError && error.code === 'tenant_required' ? (error.problem?.tenants ?? []) : [];

/** @param ended a session was there and has ended */
export function SignIn({ ended }: { ended: boolean }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [tenant_id, setTenant] = useState<string | null>(null);
  useEffect(() => {
    document.title = 'Sign in · HCP';
  }, []);

  const enter = useMutation({
    mutationFn: () => api.auth.browser.signIn({ email, password, ...(tenant_id !== null && { tenant_id }) }),
    onSuccess: () => queryClient.resetQueries({ queryKey: ME }),
  });
  const tenants = choices(enter.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enter.mutate();
  };

  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h2">
              Sign in
            </Title>
            {ended && !enter.isError && (
              <Alert color="blue" variant="light" role="status">
                You are signed out. Sign in to go on where you were.
              </Alert>
            )}
            {enter.isError && tenants.length === 0 && <ErrorBox error={enter.error} />}
            <TextInput
              label="Email"
              type="email"
              name="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
            {(tenants.length > 0 || tenant_id !== null) && (
              <Tenants tenants={tenants} value={tenant_id} onChange={setTenant} />
            )}
            <Button type="submit" loading={enter.isPending} disabled={tenants.length > 0 && tenant_id === null}>
              Sign in
            </Button>
            <Anchor href="/reset" size="sm" ta="center">
              Forgot the password?
            </Anchor>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}

interface TenantsProps {
  readonly tenants: readonly { id: string; name: string }[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
}

function Tenants({ tenants, value, onChange }: TenantsProps) {
  if (tenants.length === 0) return null;
  return (
    <Radio.Group label="You belong to several. Where do you want to work?" value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {tenants.map(({ id, name }) => (
          <Radio key={id} value={id} label={name} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
