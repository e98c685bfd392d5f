import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { call } from '../../../support/call.ts';
import { eraseLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { startOwnService } from '../../../support/own-service.ts';
import { person } from '../../../support/people.ts';
import { environmentOf, givenTable } from '../../../support/table.ts';
import { itemsOf, nextSecond } from './restored-tables.ts';

/** Requests to the built functions on a table. */
export async function withFunctionsOn<Result>(
  on: Table,
  ask: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const functions = await startOwnService(environmentOf(on.name));
  try {
    return await ask(functions.baseUrl);
  } finally {
    await functions.stop();
  }
}

/** A backup, and the table it was made of, in which much has happened since. */
interface Catastrophe {
  readonly old: Table;
  readonly backup: readonly Record<string, unknown>[];
  readonly organization: GivenOrganization;
  readonly revoked: { readonly key: string; readonly keyId: string };
  readonly erased: ReturnType<typeof person>;
  readonly erasedLeadId: number;
  readonly keptLeadId: number;
  readonly lastLeadId: number;
}
export let given: Catastrophe;

/** Makes both for the tests of this file. */
export function useCatastrophe(): void {
  beforeAll(async () => {
    const old = await givenTable();
    const organization = await givenOrganization({}, old);
    const revoked = await organization.key();
    const [erased, kept] = [person(), person()];
    given = await withFunctionsOn(old, async (baseUrl) => {
      const capture = async (body: object): Promise<number> =>
        (await call('capture-lead', { baseUrl, apiKey: organization.website, body })).body.lead.id;
      const erasedLeadId = await capture({ ...erased, externalId: randomUUID() });
      const keptLeadId = await capture(kept);
      await capture({ ...kept, email: erased.email }); // the person's email on another lead's timeline
      const backup = await itemsOf(old);

      await revokeApiKey(old, organization.id, revoked.keyId);
      await eraseLead(old, organization.id, erasedLeadId, { who: 'a test' });
      await applySettings(old, { ...organization.settings, name: 'Northwind, renamed' });
      await call('capture-lead', {
        baseUrl,
        apiKey: organization.website,
        body: { name: 'Nobody' },
      }); // refused, and its id is a gap
      const lastLeadId = await capture(person());
      return { old, backup, organization, revoked, erased, erasedLeadId, keptLeadId, lastLeadId };
    });
    await nextSecond();
  });
}
