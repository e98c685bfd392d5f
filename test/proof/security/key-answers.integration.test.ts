import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  apiKeyRandomBytes,
  mintApiKey,
  parseApiKey,
} from '../../../shared/organization/api-key.ts';
import { revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { type CallReply, call } from '../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { type OwnService, startOwnService } from '../../support/own-service.ts';
import { table } from '../../support/table.ts';

/** Who guesses learns nothing from an answer, nor from what it took to give it. */
let own: OwnService;
let organization: GivenOrganization;
beforeAll(async () => {
  own = await startOwnService();
  organization = await givenOrganization();
});
afterAll(() => own.stop());

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A key of the published form with the id of another, and a secret of its own. */
function withOtherSecret(key: string): string {
  const keyId = key.split('_')[2] ?? '';
  const number = [...keyId].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
  const idBytes = Buffer.alloc(8);
  idBytes.writeBigUInt64BE(number);
  const wrong = mintApiKey(
    Buffer.concat([idBytes, randomBytes(apiKeyRandomBytes - idBytes.length)]),
  ).key;
  if (wrong.split('_')[2] !== keyId || !parseApiKey(wrong))
    throw new Error(`${wrong} does not have the id ${keyId}.`);
  return wrong;
}

/** All of an answer but what differs from one request to the next. */
function comparable({ status, headers, body }: CallReply) {
  const varying = ['date', 'x-request-id', 'x-amzn-requestid', 'x-amz-apigw-id'];
  return { status, body, headers: [...headers].filter(([name]) => !varying.includes(name)) };
}

const ask = async (apiKey: string) => {
  const { result, calls } = await own.proxy.record(() =>
    call('list-users', { apiKey, baseUrl: own.baseUrl }),
  );
  return { answer: comparable(result), calls: calls.map(({ site }) => site) };
};

test('an unknown, forged, revoked or expired key gets the same response; only the log says why', async () => {
  const { id: organizationId } = organization;
  const [revoked, expired] = [
    await organization.key(),
    await organization.key({ expiresAt: new Date(1) }),
  ];
  await revokeApiKey(table(), organizationId, revoked.keyId);
  const unknown = mintApiKey(randomBytes(apiKeyRandomBytes)).key;
  const keys = [unknown, withOtherSecret(organization.reader), revoked.key, expired.key];

  const asked = [];
  for (const key of keys) asked.push([await ask(key), await ask(key)]);

  const [[first, again] = [], ...others] = asked;
  expect(first).toMatchObject({
    answer: { status: 401, body: { error: { code: 'UNAUTHORIZED' } } },
    calls: ['UpdateItem KEY'],
  });
  expect(again).toEqual({ answer: first?.answer, calls: [] });
  for (const other of others) expect(other).toEqual([first, again]);
  // The log comes on another pipe than the responses.
  const lines = await vi.waitUntil(
    () => {
      const answered = own.logged().match(/^\{.*"message":"answered".*\}$/gm);
      return answered?.length === 2 * keys.length && answered;
    },
    { timeout: 10_000 },
  );
  const logged = lines.map((line) => JSON.parse(line));
  const nobody = [undefined, undefined, undefined];
  const ofKey = ({ keyId }: { keyId: string }, refusal: string) => [keyId, organizationId, refusal];
  expect(
    logged.map(({ keyId, organizationId, keyRefusal }) => [keyId, organizationId, keyRefusal]),
  ).toEqual(
    [nobody, nobody, ofKey(revoked, 'revoked'), ofKey(expired, 'expired')].flatMap((named) => [
      named,
      named,
    ]),
  );
  const consumed = logged.map(({ dynamodbCalls, readUnits, writeUnits }) => ({
    ...{ dynamodbCalls, readUnits, writeUnits },
  }));
  expect(consumed).toEqual(keys.flatMap(() => [consumed[0], consumed[1]]));
  expect(consumed[1]).toEqual({ dynamodbCalls: 0, readUnits: 0, writeUnits: 0 });
});
