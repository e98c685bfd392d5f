import { openTable, sdkDefaults, type Table } from '../../shared/store/table/client.ts';
import { answerTo, type SentRequest, SimulatedDynamodb } from '../dynamodb-model/dynamodb-model.ts';
import { createLeadTable } from '../proof/simulation/simulation.ts';

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
