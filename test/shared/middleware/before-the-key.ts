import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { type EndpointName, endpointNamed, takesBody } from '../../../shared/contract/endpoints.ts';
import type { Call, JsonBody, Step } from '../../../shared/middleware/call.ts';
import { jsonBody } from '../../../shared/middleware/json-body.ts';
import { transport } from '../../../shared/middleware/transport.ts';
import { refusalOf } from '../leads/refusal.ts';
import { type EventParts, newCall, requestEvent } from './event.ts';

export const https = { 'X-Forwarded-Proto': 'https' };
export const json = { ...https, 'Content-Type': 'application/json' };

const stepsWith = (body: Step<JsonBody>[]) =>
  middy({ timeoutEarlyInMillis: 0 })
    .use(transport())
    .use(body)
    .handler(async (_, call) => call.jsonBody);

/** Sends a request through the steps before the key. @returns the body that the endpoint gets */
export const pass = async (
  parts: EventParts,
  name: EndpointName = 'capture-lead',
): Promise<unknown> =>
  stepsWith(takesBody(endpointNamed(name)) ? [jsonBody()] : [])(
    requestEvent(parts),
    newCall(name) as Call & Context,
  );

export const codeOf = async (parts: EventParts, name?: EndpointName): Promise<string> =>
  (await refusalOf(() => pass(parts, name))).code;
