import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiKeyRandomBytes, mintApiKey } from '../../shared/organization/api-key.ts';
import { revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import { call } from '../support/call.ts';
import { givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { table } from '../support/table.ts';

let own: OwnService;
beforeAll(async () => {
  own = await startOwnService();
});
afterAll(() => own.stop());

test('the log says why a known key was refused; the response and the calls are those of an unknown one', async () => {
  const { id: organizationId, key } = await givenOrganization();
  const [revoked, expired] = [await key(), await key({ expiresAt: new Date(1) })];
  await revokeApiKey(table(), organizationId, revoked.keyId);
  const unknown = mintApiKey(randomBytes(apiKeyRandomBytes)).key;

  const bodies: unknown[] = [];
  for (const apiKey of [unknown, revoked.key, expired.key])
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await call('list-users', { apiKey, baseUrl: own.baseUrl });
      bodies.push({ status, body });
    }

  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  // The log comes on another pipe than the responses.
  const lines = await vi.waitUntil(
    () => {
      const answered = own.logged().match(/^\{.*"message":"answered".*\}$/gm);
      return answered?.length === bodies.length && answered;
    },
    { timeout: 10_000 },
  );
  const logged = lines.map((line) => {
    const { dynamodbCalls, readUnits, writeUnits, ...fields } = JSON.parse(line);
    const { keyId, organizationId, keyRefusal } = fields;
    return [
      { keyId, organizationId, keyRefusal },
      { dynamodbCalls, readUnits, writeUnits },
    ];
  });
  const named = (keyId: string, keyRefusal: string) => ({ keyId, organizationId, keyRefusal });
  expect(logged.map(([fields]) => fields)).toEqual([
    {},
    {},
    named(revoked.keyId, 'revoked'),
    named(revoked.keyId, 'revoked'),
    named(expired.keyId, 'expired'),
    named(expired.keyId, 'expired'),
  ]);
  const [first, again] = logged.map(([, consumed]) => consumed);
  const pairs = [first, again, first, again, first, again];
  expect(logged.map(([, consumed]) => consumed)).toEqual(pairs);
  expect(again).toEqual({ dynamodbCalls: 0, readUnits: 0, writeUnits: 0 });
});
