import { Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Access, ProjectDetail } from '@hcp/contracts';
import { type Settings, settingsSchema } from '@hcp/core';
import { api } from '../../../app/api.js';
import { may, useMe } from '../../../app/session.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Loaded } from '../../../parts/loading.js';
import { Said } from '../../../parts/said.js';
import { ModeExceptions } from '../../access/mode-exceptions.js';
import { accessChanged, accessIn } from '../../access/queries.js';
import { Rules } from '../../access/rules.js';

/** What counts in this project besides the tenant's settings: it only tightens. */
export function ProjectAccess({ project }: { project: ProjectDetail }) {
  const query = useQuery(accessIn(project.id));
  return (
    <Loaded query={query}>
      {(access) => (
        <>
          <Paper withBorder p="lg" component="section" aria-label="Access in this project">
            <Stack gap="md">
              <div>
                <Title order={2} size="h5">
                  Access in this project
                </Title>
                <Text size="sm" c="dimmed">
                  Makes stricter what the tenant sets; what would loosen it does not count.
                </Text>
              </div>
              <People access={access} project_id={project.id} />
              <ModeExceptions access={access} project={project.id} alone />
            </Stack>
          </Paper>
          <Rules access={access} project={project.id} />
        </>
      )}
    </Loaded>
  );
}

/** The project's own document, as the API takes it whole. */
function documentOf({ layers }: Access): Settings {
  const layer = layers.find(({ layer }) => layer === 'project');
  const rules = (layer?.rules ?? []).map(({ match, decision, when, op, note }) => ({
    match,
    decision,
    ...(when && { when }),
    ...(op !== undefined && { op }),
    ...(note !== undefined && { note }),
  }));
  const parsed = settingsSchema.safeParse({ ...layer?.settings, ...(rules.length > 0 && { rules }) });
  return parsed.success ? parsed.data : {};
}

function People({ access, project_id }: { access: Access; project_id: string }) {
  const me = useMe();
  const { approvals, ...rest } = documentOf(access);
  const change = useMutation({
    mutationFn: async (human: boolean) => {
      await api.access.project(project_id, human ? { ...rest, approvals: 'human' } : rest);
      await accessChanged();
    },
  });
  return (
    <>
      <Switch
        label="Only a person’s yes counts here"
        description="Even where the tenant lets an agent’s own confirm count."
        checked={approvals === 'human'}
        disabled={!may(me, 'access.manage') || change.isPending}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      {change.isError && <ErrorBox error={change.error} />}
      {change.isSuccess && <Said>Saved. It counts from the next call on.</Said>}
    </>
  );
}
