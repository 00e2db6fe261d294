import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { choosePort } from './ports.mjs';

it('names PORT when the port is taken', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(choosePort(String(port), '127.0.0.1')).rejects.toThrow(`port ${String(port)} is taken`);
  await expect(choosePort(String(port), '127.0.0.1')).rejects.toThrow('set PORT');
  await new Promise((resolve) => server.close(resolve));
});

it('refuses what is no port', async () => {
  for (const text of ['abc', '-1', '65536', '3000x']) {
    await expect(choosePort(text, '127.0.0.1')).rejects.toThrow('PORT must be a number from 0 to 65535');
  }
});

it('takes a free port for 0', async () => {
  expect(await choosePort('0', '127.0.0.1')).toBeGreaterThan(0);
});
