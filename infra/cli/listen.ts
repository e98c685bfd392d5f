import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from './command.ts';
import { errorCode } from './error-code.ts';

const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: name another port',
  EACCES: 'the system does not allow this port: name a port above 1023',
};

/**
 * Starts to listen on 127.0.0.1, at the port of `--port`.
 * @param port 0 picks a free one
 * @param command the command that has the option
 * @returns the port
 * @throws CommandError if the port is in use or not allowed
 */
export async function listen(
  server: Server,
  port: number,
  command = 'npm start --',
): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const refusal = refusals[errorCode(error) ?? ''];
    if (refusal === undefined) throw error;
    throw new CommandError(`--port ${port}: ${refusal}, or 0 for a free one: ${command} --port 0`, {
      cause: error,
    });
  }
  return (server.address() as AddressInfo).port;
}
