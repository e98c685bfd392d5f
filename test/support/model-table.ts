import { tableInput } from '../../infra/cli/table.ts';
import { openTable, sdkDefaults, type Table } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { answerTo, type SentRequest, SimulatedDynamodb } from '../dynamodb-model/dynamodb-model.ts';

/** An empty table in the model of DynamoDB, in this process: for rules about reads that need many cases or many leads. */
export function modelTable(): Table {
  const dynamodb = new SimulatedDynamodb({ now: Date.now });
  createLeadTable(dynamodb);
  const handle = (sent: SentRequest) =>
    answerTo(sent, (operation, request) => dynamodb.executeNow(operation, request));
  return openTable('leads', {
    ...sdkDefaults,
    region: 'ap-south-1',
    credentials: { accessKeyId: 'model', secretAccessKey: 'model' },
    requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } } as never,
  });
}

/** Creates the table as it is deployed, with expiry on, or as a restore leaves it, with expiry off. */
export function createLeadTable(
  dynamodb: SimulatedDynamodb,
  { name = 'leads', isRestored = false } = {},
): void {
  dynamodb.executeNow('CreateTable', tableInput(name));
  if (isRestored) return;
  const AttributeName = tableDefinition.timeToLiveAttribute;
  dynamodb.executeNow('UpdateTimeToLive', {
    TableName: name,
    TimeToLiveSpecification: { Enabled: true, AttributeName },
  });
}
