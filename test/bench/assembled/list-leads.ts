import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { presentLead } from '../../../shared/leads/lead.ts';
import { limits } from '../../../shared/limits.ts';
import { leadFrom } from '../../../shared/store/leads/leads.ts';
import { answer, documents, reading } from './stack.ts';
import { tableNames } from './tables.ts';

/** The newest leads: what a filter would cost here (a `FilterExpression` over all leads) is left out of the comparison. */
export const handler = reading(async (_event, { organization }) => {
  const { Items = [], LastEvaluatedKey } = await documents.send(
    new QueryCommand({
      TableName: tableNames.main,
      KeyConditionExpression: 'pk = :leads',
      ExpressionAttributeValues: { ':leads': `LEADS#${organization.id}` },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limits.pageSizeDefault,
    }),
  );
  const items = Items.map((item) => presentLead(organization, leadFrom(organization.id, item)));
  return answer(200, { items, nextCursor: LastEvaluatedKey ? Number(LastEvaluatedKey.sk) : null });
});
