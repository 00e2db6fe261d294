import { useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { shortId } from '../../app/format.js';
import { PROJECTS } from './queries.js';

/** What a scope is called: the whole tenant, or one project. */
export function usePlaces(): (project_id: string | null) => string {
  const projects = useQuery(PROJECTS);
  return (project_id) => {
    if (project_id === null) return 'the whole tenant';
    const name = projects.data?.find(({ id }) => id === project_id)?.name;
    return name === undefined ? `project …${shortId(project_id)}` : `project ${escapeInvisible(name)}`;
  };
}
