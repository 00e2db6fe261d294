import { type Folder, folderSchema } from '@hcp/contracts';
import { HcpError } from '../errors.js';
import type { CallOptions } from '../runtime.js';
import { problemOf, readAs, type Transport } from './transport.js';

/** What a folder of a project's workspace holds. */
export async function listFolder(t: Transport, id: string, path: string, options?: CallOptions): Promise<Folder> {
  const response = await read(t, id, path, options);
  if (isListing(response)) return readAs(response, folderSchema);
  await response.body?.cancel();
  throw other('there is a file of that name, no folder', response.status);
}

/** The bytes of one file. */
export async function getFile(t: Transport, id: string, path: string, options?: CallOptions): Promise<Uint8Array> {
  const response = await read(t, id, path, options);
  if (isListing(response)) {
    await response.body?.cancel();
    throw other('there is a folder of that name, no file', response.status);
  }
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    options?.signal?.throwIfAborted();
    throw new HcpError({ code: 'network', status: response.status, message: 'the file broke off', cause });
  }
}

async function read(t: Transport, id: string, path: string, options: CallOptions = {}): Promise<Response> {
  const headers = { accept: 'application/octet-stream, application/json, application/problem+json' };
  const response = await t.send('files_get', { params: { id, '*': path } }, { ...options, headers });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** A file comes as bytes, whatever is in it; only a listing comes as JSON. */
const isListing = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('application/json') ?? false;

const other = (message: string, status: number): HcpError => new HcpError({ code: 'conflict', status, message });
