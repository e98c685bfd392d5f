import { openTable, sdkDefaults, type Table } from '../../shared/store/table/client.ts';
import {
  DynamodbError,
  errorResponse,
  httpResponse,
  requestOf,
  SimulatedDynamodb,
} from '../dynamodb-model/dynamodb-model.ts';
import { createLeadTable } from '../simulation/simulation.ts';

interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** An empty table in the model of DynamoDB, in this process: for rules about what is read, of many cases or of many leads. */
export function modelTable(): Table {
  const dynamodb = new SimulatedDynamodb({ now: Date.now });
  createLeadTable(dynamodb);
  const handle = async ({ headers, body }: SentRequest) => {
    const operation = headers['x-amz-target']?.split('.')[1] ?? '';
    try {
      return { response: httpResponse(200, dynamodb.executeNow(operation, requestOf(body))) };
    } catch (error) {
      if (!(error instanceof DynamodbError)) throw error;
      return { response: errorResponse(error) };
    }
  };
  return openTable('leads', {
    ...sdkDefaults,
    region: 'ap-south-1',
    credentials: { accessKeyId: 'model', secretAccessKey: 'model' },
    requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } } as never,
  });
}
