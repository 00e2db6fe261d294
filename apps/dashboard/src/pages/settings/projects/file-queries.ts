import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/api.js';
import { queryClient } from '../../../app/queries.js';

/** What a folder of the project holds; '' is all of it. */
export const filesIn = (project_id: string, path: string) =>
  queryOptions({ queryKey: ['files', project_id, path], queryFn: () => api.files.list(project_id, path) });

export const filesChanged = (project_id: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['files', project_id] });

export const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
