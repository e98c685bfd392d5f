import { afterAll, beforeAll } from 'vitest';
import { type OwnService, startOwnService } from './own-service.ts';
import { setService } from './service.ts';
import { environmentOf, givenTable } from './table.ts';

/**
 * Gives the tests of this file a table and a service of their own: `service()`, `table()`, `call()` and the admin command use them. For
 * tests that scan the table. An engine reads a scan's pages one at a time, and every other test would wait for a large table's pages.
 */
export function useOwnTable(): void {
  let own: OwnService;
  beforeAll(async () => {
    const { name, client } = await givenTable();
    client.destroy();
    const environment = environmentOf(name);
    own = await startOwnService(environment);
    setService({ baseUrl: own.baseUrl, environment });
  });
  afterAll(async () => {
    setService(undefined);
    await own.stop();
    for (const line of own.logged().split('\n'))
      if (line.includes('"level":"ERROR"')) process.stderr.write(`${line}\n`);
  });
}
