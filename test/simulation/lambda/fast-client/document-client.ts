import { DynamoDBClient } from './client.ts';
import { MiddlewareStack } from './middleware-stack.ts';

/** Takes the place of the SDK's document client. Its commands are the SDK's: the client converts what they name. */
export class DynamoDBDocumentClient extends DynamoDBClient {
  static from(client: DynamoDBClient): DynamoDBDocumentClient {
    return new DynamoDBDocumentClient(client.config);
  }
}

/** What the SDK's document commands extend. */
export class DynamoDBDocumentClientCommand {
  readonly middlewareStack = new MiddlewareStack();
}
