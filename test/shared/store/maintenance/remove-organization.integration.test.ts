import { BatchWriteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { removeOrganization } from '../../../../shared/store/maintenance/remove-organization.ts';
import { sendingThrough, type Table } from '../../../../shared/store/table/client.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { table } from '../../../support/table.ts';

useOwnTable();

/** The table of a process that is killed at one of its batches, of which DynamoDB has carried out the last delete alone. */
function killedAt(batch: number): Table {
  let batches = 0;
  return sendingThrough(table(), (send) => async (command, options) => {
    if (!(command instanceof BatchWriteCommand) || batches++ !== batch)
      return send(command, options);
    const [name = '', requests = []] = Object.entries(command.input.RequestItems ?? {})[0] ?? [];
    const last = new BatchWriteCommand({ RequestItems: { [name]: requests.slice(-1) } });
    await table().client.send(last);
    throw new Error('killed');
  });
}

async function itemsLeft(): Promise<unknown[]> {
  const { Items = [] } = await table().client.send(new ScanCommand({ TableName: table().name }));
  return Items.map(({ pk, sk }) => `${pk} ${sk}`).filter((key) => !key.startsWith('IDEMPOTENCY#'));
}

test('a removal that was killed at any batch is completed by a repeat', async () => {
  let isKilled = true;
  for (let batch = 0; isKilled; batch += 1) {
    const organization = await givenOrganization();
    await givenLead(organization);
    isKilled = await removeOrganization(killedAt(batch), organization.id).then(
      () => false,
      () => true,
    );
    await removeOrganization(table(), organization.id);

    expect(await itemsLeft(), `killed at batch ${batch}`).toEqual([]);
  }
});
