import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from './command.ts';
import { errorCode } from './error-code.ts';

const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: name another port, or 0 for a free one.',
  EACCES: 'the system does not allow this port: name a port above 1023.',
};

/**
 * Begins to listen on 127.0.0.1, at the port of `--port`.
 * @param port 0 picks a free one
 * @returns the port
 * @throws CommandError if the port cannot be had
 */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const refusal = refusals[errorCode(error) ?? ''];
    throw refusal ? new CommandError(`--port ${port}: ${refusal}`, { cause: error }) : error;
  }
  return (server.address() as AddressInfo).port;
}
