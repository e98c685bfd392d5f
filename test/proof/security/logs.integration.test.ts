import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EndpointName, endpoints, takesBody } from '../../../shared/contract/endpoints.ts';
import { hashApiKey } from '../../../shared/organization/api-key.ts';
import { settingsPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { type CallOptions, call } from '../../support/call.ts';
import { givenLead } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { type OwnService, startOwnService } from '../../support/own-service.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { person as newPerson } from '../../support/people.ts';
import { goodRequests } from '../../support/requests.ts';
import { table } from '../../support/table.ts';
import { newTenant } from '../fuzz/tenant.ts';

useOwnTable();
let own: OwnService;
beforeAll(async () => {
  own = await startOwnService();
});
afterAll(() => own.stop());

/** The log after an offset, once it has the lines of this many answers: it arrives on another pipe than the responses. */
const logFrom = (at: number, answers: number): Promise<string> =>
  vi.waitUntil(
    () => {
      const log = own.logged().slice(at);
      return log.match(/"message":"answered".*\n/g)?.length === answers && log;
    },
    { timeout: 10_000 },
  );

/** Everything that a request may hold and a log may not; none of it stands anywhere else. */
const secret = {
  name: 'Zebediah Quillfeather',
  phone: '+919811111119',
  email: 'zebediah@quillfeather.example',
  text: 'wants-no-one-to-know',
  idempotencyKey: 'visit-of-zebediah',
  requestId: '9f0e6f4a-7d5b-4c3e-8a21-5b7d9c1e3f60',
};
const person = { name: secret.name, phone: secret.phone, email: secret.email };

test('no line of the log has a key, a header, an address or personal data, however a request ends', async () => {
  const from = own.logged().length;
  const [tenant, cold] = await Promise.all([newTenant(table(), 0), newTenant(table(), 0)]);
  const apiKey = tenant.keys.all;

  const secrets: Partial<Record<EndpointName, CallOptions>> = {
    'list-leads': {
      query: {
        filter: JSON.stringify([{ field: 'email', operator: 'equals', value: secret.email }]),
      },
    },
    'create-lead': { body: { fields: { ...person, city: secret.text } } },
    'capture-lead': {
      body: { ...person, notes: secret.text },
      headers: { 'Idempotency-Key': secret.idempotencyKey },
    },
    'update-lead': { body: { fields: { city: `${secret.text} at all` } } },
    'add-note': { body: { text: secret.text } },
  };
  const requestOf = (name: EndpointName): CallOptions => ({
    ...goodRequests.find((good) => good.name === name)?.request(1, person),
    ...secrets[name],
  });
  const spoiled: readonly CallOptions[] = [
    {},
    { apiKey: tenant.keys.expired },
    { apiKey: `${apiKey}x` },
    { apiKey: tenant.keys.website, body: { fields: { name: secret.name }, surprise: secret.text } },
    { query: `token=${apiKey}&q=${secret.email}` },
    { query: `limit=${secret.text}` },
    { leadId: encodeURIComponent(secret.name) },
    { body: `{"name":"${secret.name}` },
    { body: { fields: { phone: secret.text, [secret.name]: secret.phone } } },
    { body: secret.text.repeat(6000) },
    { headers: { 'Content-Type': 'text/plain', 'X-Name': secret.text } },
    { headers: { 'X-Forwarded-Proto': 'http', 'X-Phone': secret.phone } },
    { headers: { 'Idempotency-Key': `${secret.text}é` } },
    { headers: { 'X-Amzn-RequestId': secret.requestId } },
  ];
  const statuses: number[] = [];
  const ask = async (name: EndpointName, options: CallOptions): Promise<void> => {
    const { baseUrl } = own;
    statuses.push((await call(name, { apiKey, leadId: 1, ...options, baseUrl })).status);
  };
  await ask('create-lead', requestOf('create-lead'));
  await Promise.all(
    endpoints.map(async ({ name, method }) => {
      const fitting = spoiled.filter(({ body }) => takesBody({ method }) || body === undefined);
      for (const other of fitting) await ask(name, { ...requestOf(name), ...other });
    }),
  );
  const Key = { ...settingsPrimaryKey(cold.organizationId) };
  await table().client.send(new DeleteCommand({ TableName: table().name, Key }));
  const asCold = { apiKey: cold.keys.all };
  await Promise.all(endpoints.map(({ name }) => ask(name, { ...requestOf(name), ...asCold })));

  const log = await logFrom(from, statuses.length);
  expect([...new Set(statuses)]).toEqual(
    expect.arrayContaining([200, 201, 400, 401, 403, 404, 409, 413, 415, 422, 500]),
  );
  expect(log.match(/"message":"failed".*"stack"/g)).toHaveLength(endpoints.length);
  const keys = [tenant, cold].flatMap((one) => Object.values(one.keys));
  const forbidden = [
    ...Object.values(secret),
    ...secret.name.split(' '),
    secret.phone.slice(4),
    tenant.mark,
    ...keys.flatMap((key) => [key.slice(-30), hashApiKey(key)]),
    'Bearer',
    'authorization',
    '/api/v1',
    'token=',
  ];
  for (const one of forbidden) {
    const at = log.toLowerCase().indexOf(one.toLowerCase());
    expect(
      at < 0 ? undefined : log.slice(Math.max(0, at - 200), at + 100),
      `the log holds ${one}`,
    ).toBeUndefined();
  }
});

test('the log line of a request that wrote or read a lead names the lead', async () => {
  const from = own.logged().length;
  const organization = await givenOrganization();
  const { key: apiKey } = await organization.key();
  const { id } = await givenLead(organization);
  const who = newPerson();
  const idOf: Record<string, unknown> = {};
  const ask = async (name: EndpointName, options: CallOptions): Promise<void> => {
    const { body, headers } = await call(name, { apiKey, baseUrl: own.baseUrl, ...options });
    idOf[headers.get('X-Request-Id') ?? ''] = body.lead?.id ?? body.note?.leadId;
  };

  for (const { name, request } of goodRequests) await ask(name, request(id));
  for (const externalId of ['new', 'replayed', 'replayed'])
    await ask('capture-lead', { body: { ...who, externalId } });
  await ask('get-lead', { leadId: id + 999 });

  const lines = (await logFrom(from, Object.keys(idOf).length)).match(
    /^\{.*"message":"answered".*\}$/gm,
  );
  expect(Object.values(idOf).filter((one) => one !== undefined)).toHaveLength(8);
  const logged = (lines ?? []).map((line) => JSON.parse(line));
  expect(Object.fromEntries(logged.map(({ requestId, leadId }) => [requestId, leadId]))).toEqual(
    idOf,
  );
});
