import { SegmentedControl, Select, Group } from '@mantine/core';
import { SENSE_SEVERITIES } from '@hcp/core';
import { useState } from 'react';
import { may, useMe } from '../../app/session.js';
import { Page } from '../../parts/page.js';
import { Events } from './events.js';
import type { SenseFilters } from './queries.js';
import { Sources } from './sources.js';

export function SensePage() {
  const me = useMe();
  const [filters, setFilters] = useState<SenseFilters>({ open: '1' });
  return (
    <Page
      title="Sense"
      about="What needs somebody, until it is mended. It updates by itself."
      actions={
        <SegmentedControl
          aria-label="Which events"
          value={filters.open ?? '1'}
          onChange={(open) => setFilters({ ...filters, open: open === '0' ? '0' : '1' })}
          data={[
            { value: '1', label: 'Open' },
            { value: '0', label: 'Last month' },
          ]}
        />
      }
    >
      <Group>
        <Select
          label="Severity"
          placeholder="Any"
          clearable
          w={170}
          data={SENSE_SEVERITIES.map((value) => ({ value, label: value }))}
          value={filters.severity ?? null}
          onChange={(severity) => setFilters({ open: filters.open, ...(severity && { severity }) })}
        />
      </Group>
      <Events filters={filters} />
      {may(me, 'sense.enable') && <Sources />}
    </Page>
  );
}
