import { Alert, Button, Group, Modal, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { PackDetail } from '@hcp/contracts';
import { useMemo, useState } from 'react';
import { api } from '../../app/api.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { compareVersions } from './compare.js';
import { ComparisonView } from './comparison.js';
import { usePlaces } from './places.js';
import { packQuery, packsChanged, PROJECTS } from './queries.js';

const TENANT = 'tenant';

interface ActivateProps {
  readonly pack_id: string;
  readonly version: string;
  readonly onClose: () => void;
  /** Told where it is active now. */
  readonly onActive?: (place: string) => void;
}

/** Asks where, says what changes there, and activates exactly the version that was shown. */
export function Activate({ pack_id, version, onClose, onActive }: ActivateProps) {
  const place = usePlaces();
  const projects = useQuery(PROJECTS);
  const [where, setWhere] = useState(TENANT);
  const project_id = where === TENANT ? null : where;
  const after = useQuery(packQuery(pack_id, version));
  const act = useMutation({
    mutationFn: (pack: PackDetail) => {
      const digest = pack.versions.find((each) => each.version === version)?.digest;
      return api.packs.activate(pack_id, {
        version,
        ...(digest !== undefined && { digest }),
        ...(project_id !== null && { project_id }),
      });
    },
    onSuccess: async () => {
      onActive?.(place(project_id));
      onClose();
      await packsChanged();
    },
  });
  const heading = (
    <Title order={2} size="h4">
      Activate {pack_id} {version}?
    </Title>
  );
  return (
    <Modal opened onClose={onClose} title={heading} size="lg">
      <Stack>
        <Select
          label="Where"
          description="What is active in a project counts there before what is active in the whole tenant."
          allowDeselect={false}
          data={[
            { value: TENANT, label: 'The whole tenant' },
            ...(projects.data ?? []).map(({ id }) => ({ value: id, label: place(id) })),
          ]}
          value={where}
          onChange={(value) => setWhere(value ?? TENANT)}
        />
        {after.isPending && <Loading />}
        {after.isError && <ErrorBox error={after.error} retry={() => void after.refetch()} />}
        {after.data && <Changes key={where} after={after.data} project_id={project_id} />}
        {act.isError && <ErrorBox error={act.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button
            loading={act.isPending}
            disabled={after.data === undefined}
            onClick={() => after.data && act.mutate(after.data)}
          >
            Activate {version}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Against what counts there now: the project's own version, else the tenant's. */
function Changes({ after, project_id }: { after: PackDetail; project_id: string | null }) {
  const { activations, pack_id, version } = after;
  const own = activations.find((each) => each.project_id === project_id);
  const counts = own ?? activations.find((each) => each.project_id === null);
  const before = useQuery({ ...packQuery(pack_id, counts?.version), enabled: counts !== undefined });
  const comparison = useMemo(
    // A query that is off may have what another place fetched by its key.
    () => (!counts ? compareVersions(null, after) : before.data ? compareVersions(before.data, after) : null),
    [counts, before.data, after],
  );
  if (counts?.version === version) {
    return (
      <Alert color="gray" variant="light" title={`${version} is what counts there already`}>
        {own ? 'Nothing changes.' : 'By the whole tenant; activated here, it stays when the tenant’s changes.'}
      </Alert>
    );
  }
  if (counts && before.isError) return <ErrorBox error={before.error} retry={() => void before.refetch()} />;
  if (comparison === null) return <Loading />;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {counts
          ? `${counts.version} counts there now. From the next call on it is ${version}:`
          : `Nothing of ${pack_id} is active there now. From the next call on there is:`}
      </Text>
      <ComparisonView comparison={comparison} first={!counts} />
    </Stack>
  );
}
