import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, timestampSchema } from './common/primitives.js';

/** Media type of a file's bytes, both ways. */
export const FILE_TYPE = 'application/octet-stream';
/** SPEC W5: one file. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** `*` is the path in the workspace, with `/`; empty for all of it. */
export const fileParamsSchema = z.strictObject({ id: idSchema, '*': z.string().max(4096) });
export type FileParams = z.infer<typeof fileParamsSchema>;

export const folderEntrySchema = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'folder', 'link', 'other']).describe('Links are never followed.'),
    size: z.number().int().nonnegative().nullable().describe('Bytes, of files.'),
    modified_at: timestampSchema,
    addressable: z.boolean().describe('False where a program gave it a name that no path of this API can have.'),
  })
  .meta({ id: 'FolderEntry' });
export type FolderEntry = z.infer<typeof folderEntrySchema>;

export const folderSchema = z
  .object({
    items: z.array(folderEntrySchema),
    next_cursor: z.null(),
    truncated: z.boolean().describe('There are more than a listing tells.'),
  })
  .meta({ id: 'Folder' });
export type Folder = z.infer<typeof folderSchema>;

export const writtenFileSchema = z
  .object({
    path: z.string(),
    size: z.number().int().nonnegative(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    created: z.boolean().describe('False where a file was replaced.'),
  })
  .meta({ id: 'WrittenFile' });
export type WrittenFile = z.infer<typeof writtenFileSchema>;

export const deleteFileQuerySchema = z.strictObject({
  recursive: z.enum(['0', '1']).optional().describe('1: a folder with all that is in it.'),
});
export type DeleteFileQuery = z.infer<typeof deleteFileQuerySchema>;

/** SPEC W5: the files of a project's workspace. */
export const fileRoutes = defineRoutes({
  files_get: {
    method: 'GET',
    path: '/v1/projects/:id/files/*',
    summary: "Get a file of a project's workspace, or what a folder holds",
    requires: 'verb.exec.read',
    refuses: ANYONE,
    status: 200,
    params: fileParamsSchema,
    response: folderSchema,
    response_file: true,
  },
  files_put: {
    method: 'PUT',
    path: '/v1/projects/:id/files/*',
    summary: "Put a file into a project's workspace, in place of the one there",
    requires: 'verb.exec.write',
    refuses: ANYONE,
    status: 200,
    params: fileParamsSchema,
    body: 'file',
    response: writtenFileSchema,
  },
  files_delete: {
    method: 'DELETE',
    path: '/v1/projects/:id/files/*',
    summary: "Remove a file or a folder of a project's workspace",
    requires: 'verb.exec.write',
    refuses: ANYONE,
    status: 204,
    params: fileParamsSchema,
    query: deleteFileQuerySchema,
  },
});
