import { createServer } from 'node:net';
import { Stop } from './progress.mjs';

/**
 * The port to serve on: PORT, 3000 by default; 0 takes any free one.
 * @param {string | undefined} wanted
 * @param {string} host
 * @returns {Promise<number>}
 */
export async function choosePort(wanted, host) {
  const text = wanted === undefined || wanted === '' ? '3000' : wanted;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 0 && port <= 65_535)) throw new Stop('PORT must be a number from 0 to 65535');
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE')
        reject(new Stop(`port ${port} is taken: stop what uses it, or set PORT to another`));
      else if (error.code === 'EACCES') reject(new Stop(`port ${port} needs rights that we lack: set PORT to another`));
      else reject(error);
    });
    server.listen(port, host, () => {
      const chosen = server.address().port;
      server.close(() => resolve(chosen));
    });
  });
}
