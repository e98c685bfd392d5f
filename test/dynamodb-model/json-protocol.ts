import { HttpResponse } from '@smithy/core/protocols';
import type { DynamodbError } from './errors.ts';
import type { Request } from './request.ts';

/** A request as DynamoDB's JSON protocol writes it. */
export const requestOf = (body: string | Uint8Array = '{}'): Request =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Request;

/** An error as the JSON protocol writes it. */
export const errorResponse = ({ name, message, members, status }: DynamodbError): HttpResponse =>
  httpResponse(status, { ...members, __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });

export const httpResponse = (statusCode: number, reply: object): HttpResponse =>
  new HttpResponse({
    statusCode,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'simulated' },
    body: new TextEncoder().encode(JSON.stringify(reply)),
  });
