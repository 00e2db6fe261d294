import { Button, Group, Paper, Table, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../../app/api.js';
import { atField } from '../../../app/field-errors.js';
import { moment } from '../../../app/format.js';
import { projectPages, projectsChanged } from '../../../app/projects.js';
import { may, useMe } from '../../../app/session.js';
import { Empty } from '../../../parts/empty.js';
import { FormError } from '../../../parts/form-error.js';
import { TextLink } from '../../../parts/link.js';
import { Listed } from '../../../parts/listed.js';
import { Page } from '../../../parts/page.js';
import { Said } from '../../../parts/said.js';

export function ProjectList() {
  const me = useMe();
  const query = useInfiniteQuery(projectPages);
  const manages = may(me, 'tenant.manage');
  return (
    <Page title="Projects" about="A project has members, files of its own, and settings that only tighten.">
      {manages && <CreateProject />}
      <Listed
        query={query}
        empty={
          <Empty title={manages ? 'There is no project yet' : 'You are in no project'}>
            {manages
              ? 'Commands that share files or memory run in one. Name the first above.'
              : 'Whoever manages access can add you to one.'}
          </Empty>
        }
      >
        {(projects) => (
          <Paper withBorder>
            <Table aria-label="Projects">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Created</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {projects.map(({ id, name, created_at }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <TextLink to="/settings/projects/$id" params={{ id }} className="hcp-value">
                        {escapeInvisible(name)}
                      </TextLink>
                    </Table.Td>
                    <Table.Td>{moment(created_at)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Paper>
        )}
      </Listed>
    </Page>
  );
}

function CreateProject() {
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: async () => {
      const project = await api.projects.create({ name });
      await projectsChanged();
      return project;
    },
    onSuccess: () => setName(''),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const fields = ['/name'];
  return (
    <form onSubmit={submit} aria-label="Create a project">
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Name of a new project"
          required
          maxLength={100}
          w={280}
          value={name}
          error={atField(create.error, '/name')}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" loading={create.isPending}>
          Create the project
        </Button>
      </Group>
      <FormError error={create.error} fields={fields} />
      {create.isSuccess && <Said>{`${escapeInvisible(create.data.name)} is created. Open it to add members.`}</Said>}
    </form>
  );
}
