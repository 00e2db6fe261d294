import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { Stop } from '../progress.mjs';

/** Asks the daemon at `unix:///path`; gives the status and the text of the answer. */
function ask(host, method, path, file) {
  const socketPath = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
  if (socketPath === undefined) throw new Stop('the host must be unix:///path/of/the/socket');
  return new Promise((resolve, reject) => {
    const headers = {
      host: 'docker',
      ...(file && { 'content-type': 'application/x-tar', 'content-length': statSync(file).size }),
    };
    const sent = request({ socketPath, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.once('error', (error) =>
      reject(new Stop(`docker at ${host} does not answer (${error.code ?? error.message})`)),
    );
    if (file) createReadStream(file).pipe(sent);
    else sent.end();
  });
}

/** @returns {Promise<boolean>} the daemon has an image of this id or name */
export async function hasImage(host, reference) {
  return (await ask(host, 'GET', `/images/${encodeURIComponent(reference)}/json`)).status === 200;
}

export async function loadImage(host, archive) {
  const { status, text } = await ask(host, 'POST', '/images/load?quiet=1', archive);
  if (status !== 200 || text.includes('"error"'))
    throw new Stop(`docker did not take the image: ${text.trim().slice(0, 500)}`);
}
