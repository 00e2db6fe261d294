import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ProjectDetail } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { projectOf, projectsChanged } from '../../../app/projects.js';
import { queryClient } from '../../../app/queries.js';
import { may, useMe } from '../../../app/session.js';
import { Ask } from '../../../parts/ask.js';
import { TextLink } from '../../../parts/link.js';
import { Loaded } from '../../../parts/loading.js';
import { Page } from '../../../parts/page.js';
import { Said } from '../../../parts/said.js';
import { Files } from './files.js';
import { Members } from './members.js';
import { ProjectAccess } from './project-access.js';
import { RenameDialog } from './rename.js';

const route = getRouteApi('/settings/projects/$id');

export function ProjectPage() {
  const { id } = route.useParams();
  const query = useQuery(projectOf(id));
  const name = query.data?.name;
  return (
    <Page
      title={name === undefined ? 'Project' : escapeInvisible(name)}
      about={<TextLink to="/settings/projects">All projects</TextLink>}
      actions={query.data && <Actions project={query.data} />}
    >
      <Loaded query={query}>
        {(project) => (
          <>
            <Members project={project} />
            <ProjectAccess project={project} />
            <Files key={project.id} project_id={project.id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ project }: { project: ProjectDetail }) {
  const me = useMe();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  const rename = useMutation({
    mutationFn: async (name: string) => {
      await api.projects.update(project.id, { name });
      await projectsChanged();
    },
    onSuccess: close,
  });
  if (!may(me, 'tenant.manage')) return null;
  const remove = async (): Promise<void> => {
    await api.projects.delete(project.id);
    await navigate({ to: '/settings/projects' });
    queryClient.removeQueries({ queryKey: ['project', project.id] });
    await projectsChanged();
  };
  return (
    <Group gap="xs">
      {rename.isSuccess && open === null && <Said>Renamed.</Said>}
      <Button variant="default" onClick={() => setOpen('rename')}>
        Rename
      </Button>
      <Button variant="outline" color="red" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <RenameDialog
        opened={open === 'rename'}
        name={project.name}
        renaming={rename}
        onClose={() => {
          rename.reset();
          close();
        }}
      />
      <Ask
        opened={open === 'delete'}
        onClose={close}
        title={`Delete ${escapeInvisible(project.name)}?`}
        yes="Delete the project"
        danger
        act={remove}
      >
        Its settings, rules and members go with it, for good. A project that something was run in, or that a key or a
        session is bound to, stays: the server refuses then, and says so.
      </Ask>
    </Group>
  );
}
