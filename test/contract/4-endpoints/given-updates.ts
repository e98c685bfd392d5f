import { beforeAll } from 'vitest';
import { type CallReply, call } from '../../support/call.ts';
import { givenLead, timelineOf } from '../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';

export let organization: GivenOrganization;
/** An organization of two leads, where whatever is refused leaves just those as they are. */
export let quiet: GivenOrganization;
export let quietLead: CallReply['body'];

/** Makes them for the tests of this file. */
export function useUpdates(): void {
  beforeAll(async () => {
    [organization, quiet] = await Promise.all([givenOrganization(), givenOrganization()]);
    await givenLead(quiet);
    quietLead = await givenLead(quiet, { fields: { city: 'Pune', budget: 5 } });
  });
}

export const update = (leadId: number, body: unknown, own = organization) =>
  call('update-lead', { apiKey: own.writer, leadId, body });

/** The changes that a lead's timeline tells, one list for each update. */
export const changesOf = async (leadId: number, own = organization) =>
  (await timelineOf(own, leadId))
    .filter(({ type }) => type === 'lead_updated')
    .map(({ changes }) => changes);
