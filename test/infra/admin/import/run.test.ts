import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { FileRow } from '../../../../infra/admin/import/rows.ts';
import { importRows } from '../../../../infra/admin/import/write.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { rowWith } from './given-files.ts';

async function* brokenFile(): AsyncGenerator<FileRow> {
  for (const number of [2, 3])
    yield rowWith(number, { name: 'Asha', phone: `+9198765432${number}0` });
  throw new Error('The disk is gone.');
}

test.each([
  ['a file that cannot be read further, after the rows before it', 2, 'The disk is gone.'],
  ['a table, and begins no further batch', 1, 'The table is gone.'],
])('an import ends with the error of %s', async (_, lookUps, message) => {
  let sent = 0;
  const send = async () => {
    sent += 1;
    if (message === 'The table is gone.') throw new Error(message);
    return { Responses: { leads: [] } };
  };

  const counts = importRows(
    { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient },
    {
      rows: brokenFile(),
      organizationId: 1,
      organization: async () => sampleOrganization(),
      keepIds: false,
      by: 'tester',
      erasing: new Set<number>(),
      dryRun: true,
      leadsPerSecond: 2, // So few that each batch is one row.
      onResults: () => undefined,
    },
  );

  await expect(counts).rejects.toThrow(message);
  expect(sent).toBe(lookUps);
});
