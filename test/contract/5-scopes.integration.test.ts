import { beforeAll, describe, expect, test } from 'vitest';
import { type EndpointName, endpointNamed, type Scope } from '../../shared/contract/endpoints.ts';
import { createApiKey, listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import { call } from '../support/call.ts';
import { useOrganizationWithLead } from '../support/leads.ts';
import { givenOrganization } from '../support/organizations.ts';
import { goodRequests } from '../support/requests.ts';
import { table } from '../support/table.ts';

const organization = useOrganizationWithLead();

describe('5 scopes: each endpoint accepts those of its section, and no others', () => {
  /** `test/contract/contract.test.ts` checks these scopes against the contract, sections 4.1 to 4.7. */
  const scopesOf = (name: EndpointName): readonly Scope[] => endpointNamed(name).scopes;
  /** What a key may do that was minted with a scope: leads.write brings leads.read with it. */
  const granted: Record<Scope, Scope[]> = {
    'leads.read': ['leads.read'],
    'leads.write': ['leads.read', 'leads.write'],
    'leads.capture': ['leads.capture'],
  };
  const rows = (Object.keys(granted) as Scope[]).flatMap((scope) =>
    goodRequests.map((good) => {
      const { name } = good;
      const isTaken = granted[scope].some((one) => scopesOf(name).includes(one));
      return [scope, isTaken ? 'may call' : 'may not call', name, good, isTaken] as const;
    }),
  );

  const quiet = useOrganizationWithLead();
  /** Keys by their scope: of the organization, and of the quiet one. */
  const keys = new Map<Scope, { taken: string; refused: string }>();
  beforeAll(async () => {
    for (const scope of Object.keys(granted) as Scope[]) {
      const [taken, refused] = await Promise.all(
        [organization, quiet].map((one) => one.key({ scopes: [scope] })),
      );
      keys.set(scope, { taken: taken!.key, refused: refused!.key });
    }
  });

  test.each(rows)(
    'a key with the scope %s %s %s',
    async (scope, _, name, { request, status }, isTaken) => {
      const { taken, refused } = keys.get(scope)!;
      if (isTaken) {
        expect((await call(name, { apiKey: taken, ...request(organization.lead.id) })).status).toBe(
          status,
        );
        return;
      }

      const answer = await call(name, { apiKey: refused, ...request(quiet.lead.id) });

      expect(answer.status).toBe(403);
      expect(answer.body.error).toMatchObject({
        code: 'FORBIDDEN',
        details: { scopes: scopesOf(name) },
      });
      expect(answer.body.error.message).toContain(scopesOf(name).join(' or '));
      await quiet.expectUntouched();
    },
  );

  test('a key with all three may call every endpoint', async () => {
    const { key: apiKey } = await organization.key();

    const statuses = [];
    for (const { name, request } of goodRequests)
      statuses.push((await call(name, { apiKey, ...request(organization.lead.id) })).status);

    expect(statuses).toEqual(goodRequests.map(({ status }) => status));
  });
});

describe('5 key types: scopes and lifetime', () => {
  const order = { createdBy: 7, label: 'x', now: new Date() } as const;
  const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

  test.each([
    ['website-form', undefined, ['leads.capture'], 730],
    ['application', ['leads.read'], ['leads.read'], 90],
    [
      'application',
      ['leads.write', 'leads.capture'],
      ['leads.read', 'leads.write', 'leads.capture'],
      90,
    ],
  ] as const)(
    'a key of type $0 that asks for $1 lasts $3 days',
    async (type, asked, scopes, lifetime) => {
      const own = await givenOrganization();

      const { keyId, key } = await createApiKey(table(), {
        ...order,
        organizationId: own.id,
        type,
        scopes: asked,
      });

      const listed = (await listApiKeys(table(), own.id)).find((one) => one.keyId === keyId)!;
      expect(listed.scopes).toEqual(scopes);
      expect(days(listed.createdAt, listed.expiresAt)).toBe(lifetime);
      expect((await call('list-lead-fields', { apiKey: key })).status).toBe(200);
    },
  );
});
