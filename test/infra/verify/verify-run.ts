import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { apiKeyPattern } from '../../../shared/organization/api-key.ts';
import { node24, projectFolder } from '../../support/service-process.ts';

export interface VerifyReply {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** Runs `npm run verify` with these variables. @throws Error when it prints an API key */
export async function verify(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<VerifyReply> {
  const child = spawn(node24, ['infra/verify/main.ts', ...args], {
    cwd: projectFolder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (new RegExp(apiKeyPattern).test(`${stdout}${stderr}`))
    throw new Error('verify printed an API key.');
  return { status, lines: stdout.trimEnd().split('\n'), stderr };
}

/** The lines of checks that failed. */
export const failedLines = ({ lines }: VerifyReply): readonly string[] =>
  lines.filter((line) => line.startsWith('✗'));

/** What a gateway in front of the service replies instead; undefined: the service's own reply. */
export type Replacement = (
  request: IncomingMessage,
  status: number,
) => { status: number; body: string } | undefined;

/** A gateway in front of the service that replaces replies. */
export async function startAlteredGateway(
  baseUrl: string,
  replacement: Replacement,
): Promise<{ baseUrl: string; server: Server }> {
  const server = createServer({ maxHeaderSize: 65_536 }, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(`${baseUrl}${url}`, { method, headers }, (reply) => {
      const instead = replacement(incoming, reply.statusCode ?? 0);
      if (instead) {
        reply.resume();
        outgoing
          .writeHead(instead.status, {
            'content-type': 'application/json',
            'x-request-id': 'altered',
          })
          .end(instead.body);
        return;
      }
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
