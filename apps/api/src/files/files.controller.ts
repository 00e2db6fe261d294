import { Readable } from 'node:stream';
import { Body, Controller, Inject, Param, Query, Req, StreamableFile } from '@nestjs/common';
import {
  deleteFileQuerySchema,
  FILE_TYPE,
  fileParamsSchema,
  type DeleteFileQuery,
  type FileParams,
  type Folder,
  type WrittenFile,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { OpenedFile, ProjectFiles } from '@hcp/workspaces';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller } from '../platform/metadata.js';
import { ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { orFileProblem } from './file-problem.js';
import { FILES } from './tokens.js';

/** The files of a project's workspace (SPEC W5); the use case decides for the very project. */
@Controller()
export class FilesController {
  constructor(@Inject(FILES) private readonly files: ProjectFiles | null) {}

  @Route('files_get', { scoped: true })
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: fileParamsSchema }) { id, '*': path }: FileParams,
  ): Promise<Folder | StreamableFile> {
    const found = orFileProblem(await this.#files().read(caller, id, path, new Date()));
    if (found.kind === 'file') return download(found);
    const items = found.entries.map(({ modified_at, ...entry }) => ({
      ...entry,
      modified_at: modified_at.toISOString(),
    }));
    return { items, next_cursor: null, truncated: found.truncated };
  }

  @Route('files_put', { scoped: true })
  async put(
    @CurrentCaller() caller: Caller,
    @Param({ schema: fileParamsSchema }) { id, '*': path }: FileParams,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<WrittenFile> {
    const source = sourceOf(body, request);
    const { ok: _, ...written } = orFileProblem(await this.#files().write(caller, id, path, source, new Date()));
    return { path, ...written };
  }

  @Route('files_delete', { scoped: true })
  async delete(
    @CurrentCaller() caller: Caller,
    @Param({ schema: fileParamsSchema }) { id, '*': path }: FileParams,
    @Query({ schema: deleteFileQuerySchema }) { recursive }: DeleteFileQuery,
  ): Promise<void> {
    const options = { recursive: recursive === '1' };
    orFileProblem(await this.#files().remove(caller, id, path, options, new Date()));
  }

  #files(): ProjectFiles {
    if (this.files) return this.files;
    throw new ProblemError(503, 'unavailable', 'this API has no data directory; an operator sets HCP_DATA_DIR');
  }
}

/** What was there at the opening: a program that writes on meanwhile does not make the answer longer. */
function download({ handle, size }: OpenedFile): StreamableFile {
  const stream = size === 0 ? Readable.from([]) : handle.createReadStream({ start: 0, end: size - 1 });
  if (size === 0) void handle.close();
  // Never shown by a browser: a file may hold anything.
  return new StreamableFile(stream, { type: FILE_TYPE, length: size, disposition: 'attachment' });
}

/** The platform's parser hands on the request itself, unread, for this type alone; nothing at all is an empty file. */
function sourceOf(body: unknown, request: FastifyRequest): Readable | null {
  if (body instanceof Readable) return body;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (body === undefined && encoding === undefined && (length === undefined || length === '0')) return null;
  throw new ProblemError(415, 'unsupported_media_type', `send the file itself as ${FILE_TYPE}`);
}
