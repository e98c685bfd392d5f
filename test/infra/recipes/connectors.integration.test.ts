import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { introduction } from '../../../infra/openapi/introduction.ts';
import type { Lead } from '../../../shared/client/client.ts';
import { call } from '../../support/call.ts';
import { leadOf, storeListedLeads } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { projectFolder } from '../../support/service-process.ts';
import { table } from '../../support/table.ts';

/** Where a connector's file has the names of its requests, and its lookback. */
const connectors = [
  {
    file: 'airbyte.yaml',
    limit: /page_size_option: .*field_name: (\w+)/,
    cursor: /page_token_option: .*field_name: (\w+)/,
    since: /start_time_option: .*field_name: (\w+)/,
    changed: /cursor_field: (\w+)/,
    items: /field_path: \[(\w+)\]/,
    next: /cursor_value: .*response\['(\w+)'\]/,
    lookback: /lookback_window: P(\d+)D/,
    unitMs: 86_400_000,
  },
  {
    file: 'dlt_leads.py',
    limit: /"params": \{"(\w+)": 100\}/,
    cursor: /"cursor_param": "(\w+)"/,
    since: /"start_param": "(\w+)"/,
    changed: /"cursor_path": "(\w+)",\n +"initial_value"/,
    items: /"data_selector": "(\w+)"/,
    next: /"cursor_path": "(\w+)", "cursor_param"/,
    lookback: /"lag": (\d+)/,
    unitMs: 1000,
  },
];
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

describe.each(connectors)('the connector of $file', ({ file, unitMs, ...patterns }) => {
  const text = readFile(join(projectFolder, 'infra', 'recipes', 'connectors', file), 'utf8');
  const named = async (name: keyof typeof patterns): Promise<string> =>
    patterns[name].exec(await text)?.[1] ?? `${file} has no ${name}`;

  /** It resumes from the largest `updatedAt` that it has seen, less the lookback. `betweenPages` happens once. */
  async function copiedBy(lookbackMs: number) {
    const organization = await givenOrganization();
    const store = (id: number, updatedAt: string): Promise<void> => {
      const own = { organizationId: organization.id, id, createdAt: hoursAgo(30), updatedAt };
      return storeListedLeads(table(), [leadOf(own, { phone: `+9198200${10_000 + id}` })]);
    };
    const copy = new Map<number, string>();
    let largest = '2020-01-01T00:00:00.000Z';
    const run = async (betweenPages?: () => Promise<unknown>): Promise<void> => {
      const since = new Date(Date.parse(largest) - lookbackMs).toISOString();
      const query = { [await named('limit')]: '2', [await named('since')]: since };
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = { ...query, ...(cursor && { [await named('cursor')]: String(cursor) }) };
        const { body } = await call('list-leads', { apiKey: organization.reader, query: page });
        for (const lead of body[await named('items')])
          copy.set(lead.id, lead[await named('changed')]);
        if (cursor === undefined) await betweenPages?.();
        cursor = body[await named('next')];
      }
      largest = [...copy.values()].reduce((a, b) => (a > b ? a : b), largest);
    };

    await Promise.all([1, 2, 3, 4].map((id) => store(id, hoursAgo(30))));
    await run(async () => {
      await store(4, hoursAgo(19)); // its page has been read
      await store(1, hoursAgo(1));
    });
    await run();
    const { items } = (await organization.list()).body;
    const stored = items.map(({ id, updatedAt }: Lead) => [id, updatedAt]);
    return { copy: Object.fromEntries(copy), stored: Object.fromEntries(stored) };
  }

  test('misses no change during a run of 20 hours with the lookback that the reference names', async () => {
    const lookbackMs = Number(await named('lookback')) * unitMs;
    const { copy, stored } = await copiedBy(lookbackMs);

    expect(copy).toEqual(stored);
    expect(lookbackMs).toBe(24 * 3_600_000);
    expect(introduction).toContain('a lookback longer than its longest run, such as a day');
  });

  test.each([0, 1, 17])(
    'misses a change during that run with a lookback of %i hours',
    async (hours) => {
      const { copy, stored } = await copiedBy(hours * 3_600_000);

      expect(copy).not.toEqual(stored);
      expect({ ...copy, 4: stored[4] }).toEqual(stored);
    },
  );
});
