import { HttpResponse } from '@smithy/core/protocols';
import { DynamodbError } from './errors.ts';
import { replyBody, requestOf } from './json-protocol.ts';
import type { SimulatedDynamodb } from './simulated-dynamodb.ts';

interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * The model as a request handler of a real client, for code that runs in no simulated process: each request is executed at once.
 * @example new DynamoDBClient({ requestHandler: requestHandlerFor(dynamodb), … })
 */
export const requestHandlerFor = (dynamodb: SimulatedDynamodb) => ({
  metadata: { handlerProtocol: 'http/1.1' },
  async handle({ headers, body }: HttpRequest): Promise<{ response: HttpResponse }> {
    const operation = headers['x-amz-target']?.split('.')[1] ?? '';
    try {
      return { response: httpResponse(200, dynamodb.executeNow(operation, requestOf(body))) };
    } catch (error) {
      if (!(error instanceof DynamodbError)) throw error;
      return { response: errorResponse(error) };
    }
  },
  updateHttpClientConfig(): void {},
  httpHandlerConfigs: () => ({}),
  destroy(): void {},
});

/** An error as the JSON protocol writes it. */
export const errorResponse = ({ name, message, members, status }: DynamodbError): HttpResponse =>
  httpResponse(status, { ...members, __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });

export const httpResponse = (statusCode: number, reply: object): HttpResponse =>
  new HttpResponse({
    statusCode,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'simulated' },
    body: replyBody(reply),
  });
