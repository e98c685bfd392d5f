import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '../../../../infra/cli/listen.ts';

/** A stand-in for the service, at its rate limit; each key's second request gets no answer. `use` gets the number of requests by `Authorization`. */
export async function withLimitedService(
  port: number,
  use: (requests: ReadonlyMap<string, number>) => Promise<void>,
): Promise<void> {
  const requests = new Map<string, number>();
  const limited = createServer(({ headers: { authorization = '' } }, response) => {
    const before = requests.get(authorization) ?? 0;
    requests.set(authorization, before + 1);
    if (before === 1) return void response.destroy();
    const error = { code: 'RATE_LIMITED', message: 'No.' };
    response.writeHead(429, { 'Retry-After': '1' }).end(JSON.stringify({ error }));
  });
  await listen(limited, port);
  await use(requests);
  limited.closeAllConnections();
  limited.close();
  await once(limited, 'close');
}
