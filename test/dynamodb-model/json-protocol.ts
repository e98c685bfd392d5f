import { HttpResponse } from '@smithy/core/protocols';
import { DynamodbError } from './errors.ts';
import type { Reply, Request } from './request.ts';

/** A request of the SDK, as DynamoDB's JSON protocol writes it. */
export interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Encodes an operation's reply, or its DynamodbError, in the JSON protocol. @throws Error any other error */
export async function answerTo(
  { headers, body = '{}' }: SentRequest,
  execute: (operation: string, request: Request) => Reply | Promise<Reply>,
): Promise<{ response: HttpResponse }> {
  const operation = headers['x-amz-target']?.split('.')[1] ?? '';
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    return { response: httpResponse(200, await execute(operation, JSON.parse(text))) };
  } catch (error) {
    if (!(error instanceof DynamodbError)) throw error;
    return { response: errorResponse(error) };
  }
}

/** An error as the JSON protocol writes it. */
export const errorResponse = ({ name, message, members, status }: DynamodbError): HttpResponse =>
  httpResponse(status, { ...members, __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });

const httpResponse = (statusCode: number, reply: object): HttpResponse =>
  new HttpResponse({
    statusCode,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'simulated' },
    body: new TextEncoder().encode(JSON.stringify(reply)),
  });
