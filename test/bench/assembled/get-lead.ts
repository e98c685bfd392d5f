import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { presentLead } from '../../../shared/leads/lead.ts';
import { leadFrom } from '../../../shared/store/leads/leads.ts';
import { leadSortKey } from '../../../shared/store/table/primary-keys.ts';
import { answer, documents, reading } from './stack.ts';
import { tableNames } from './tables.ts';

export const handler = reading(async ({ pathParameters }, { organization }) => {
  const Key = { pk: `LEADS#${organization.id}`, sk: leadSortKey(Number(pathParameters?.leadId)) };
  const { Item } = await documents.send(
    new GetCommand({ TableName: tableNames.main, Key, ConsistentRead: true }),
  );
  if (!Item) return answer(404, {});
  return answer(200, { lead: presentLead(organization, leadFrom(organization.id, Item)) });
});
