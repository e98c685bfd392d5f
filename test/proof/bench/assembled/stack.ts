import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy, { type MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { limits } from '../../../../shared/contract/limits.ts';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import {
  type Organization,
  organizationFrom,
  type Settings,
} from '../../../../shared/organization/organization.ts';
import { type StoredKey, tableNames } from './tables.ts';

/**
 * The stack that a team would assemble for the same contract: middy, Powertools' idempotency, rate-limiter-flexible on DynamoDB, and
 * plain reads and writes, one after the other. Each part as its manual shows it. The rules about leads are the service's own, so that
 * what differs is how the parts are put together.
 */
const client = new DynamoDB({});
export const documents = DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
});

export interface Caller extends Context {
  caller: StoredKey;
  organization: Organization;
}
type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Caller>;

const limiter = (keyPrefix: string, points: number): RateLimiterDynamo =>
  new RateLimiterDynamo({
    storeClient: client,
    tableName: tableNames.rateLimits,
    tableCreated: true,
    ttlSet: true,
    keyPrefix,
    points,
    duration: limits.windowMs / 1000,
  });
const perKey = limiter('key', limits.requestsPerKeyPerWindow);
const perOrganization = limiter('organization', limits.requestsPerOrganizationPerWindow);

/** Looks the key up, and leaves who it is in the context. */
const authenticate: Middleware = {
  async before({ event, context }) {
    const apiKey = event.headers.Authorization?.replace(/^Bearer /, '') ?? '';
    const { Item } = await documents.send(
      new GetCommand({
        TableName: tableNames.main,
        Key: { pk: `KEY#${hashApiKey(apiKey)}`, sk: 'KEY' },
        ConsistentRead: true,
      }),
    );
    if (!Item || Item.expiresAt < Date.now()) return { statusCode: 401, body: '{}' };
    context.caller = Item as unknown as StoredKey;
    return undefined;
  },
};

const limitRate: Middleware = {
  async before({ context: { caller } }) {
    await perKey.consume(caller.keyId);
    await perOrganization.consume(String(caller.organizationId));
  },
};

/** Read for every request: a new field must be accepted by the next one. */
const loadSettings: Middleware = {
  async before({ context }) {
    const Key = { pk: `ORG#${context.caller.organizationId}`, sk: 'SETTINGS' };
    const { Item } = await documents.send(
      new GetCommand({ TableName: tableNames.main, Key, ConsistentRead: true }),
    );
    context.organization = organizationFrom(Item?.settings as Settings, 1);
  },
};

const idempotent = makeHandlerIdempotent({
  persistenceStore: new DynamoDBPersistenceLayer({
    tableName: tableNames.idempotency,
    awsSdkV3Client: client,
  }),
  config: new IdempotencyConfig({
    eventKeyJmesPath: 'headers."Idempotency-Key"',
    payloadValidationJmesPath: 'body',
    expiresAfterSeconds: limits.idempotencyHours * 3600,
  }),
});

export const answer = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** A handler that takes a body, and whose result is stored and replayed for repeats. */
export const remembering = (
  respond: (event: APIGatewayProxyEvent, context: Caller) => Promise<APIGatewayProxyResult>,
) =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Caller>(respond)
    .use([authenticate, limitRate, loadSettings])
    .use(httpJsonBodyParser())
    .use(idempotent as unknown as Middleware);
