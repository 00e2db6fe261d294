import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { PROJECTS } from '../../app/projects.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { Effective } from './effective.js';
import { Ignored } from './ignored.js';
import { Modes } from './modes.js';
import { accessIn } from './queries.js';
import { Rules } from './rules.js';
import { Tester } from './tester.js';

export function AccessPage() {
  const [project, setProject] = useState<string | null>(null);
  const query = useQuery(accessIn(project));
  const projects = useQuery(PROJECTS);
  return (
    <Page
      title="Access"
      about="What runs without asking, what asks a person first, what never runs, and why."
      actions={
        projects.data &&
        projects.data.length > 0 && (
          <Select
            aria-label="As of a call in"
            placeholder="Outside of projects"
            clearable
            searchable
            w={210}
            data={projects.data.map(({ id, name }) => ({ value: id, label: escapeInvisible(name) }))}
            value={project}
            onChange={setProject}
          />
        )
      }
    >
      <Loaded query={query}>
        {(access) => (
          <>
            <Modes access={access} project={project} />
            <Rules access={access} project={project} />
            <Tester project={project} />
            <Ignored access={access} project={project} />
            <Effective access={access} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
