import { BatchWriteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { removeOrganization } from '../../../../shared/store/erasure/remove-organization.ts';
import { sendingThrough, type Table } from '../../../../shared/store/table/client.ts';
import { modelTable } from '../../../support/model-table.ts';
import { givenSoundTable } from '../check/given-table.ts';

const table = modelTable();

/** The table of a process that is killed at one of its batches, of which DynamoDB has carried out the last delete alone. */
function killedAt(batch: number): Table {
  let batches = 0;
  return sendingThrough(table, (send) => async (command, options) => {
    if (!(command instanceof BatchWriteCommand) || batches++ !== batch)
      return send(command, options);
    const [name = '', requests = []] = Object.entries(command.input.RequestItems ?? {})[0] ?? [];
    const last = new BatchWriteCommand({ RequestItems: { [name]: requests.slice(-1) } });
    await table.client.send(last);
    throw new Error('killed');
  });
}

async function itemsLeft(): Promise<unknown[]> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name }));
  return Items.map(({ pk, sk }) => `${pk} ${sk}`).filter((key) => !key.startsWith('IDEMPOTENCY#'));
}

test('a removal that was killed at any batch is completed by a repeat', async () => {
  let isKilled = true;
  for (let batch = 0; isKilled; batch += 1) {
    await givenSoundTable(table, 1);
    isKilled = await removeOrganization(killedAt(batch), 1).then(
      () => false,
      () => true,
    );
    await removeOrganization(table, 1);

    expect(await itemsLeft(), `killed at batch ${batch}`).toEqual([]);
  }
});
