import { expect } from 'vitest';
import type { CallReply } from './call.ts';
import { givenLead, storedLeads } from './leads.ts';
import { type GivenOrganization, givenOrganization } from './organizations.ts';

/** An organization of one lead, where whatever is refused leaves just that: what it has is not read again before each request. */
export interface QuietOrganization extends GivenOrganization {
  readonly lead: CallReply['body'];
  /** Fails unless its leads and their timelines are as they were at first. */
  readonly expectUntouched: () => Promise<void>;
}

export async function givenQuietOrganization(): Promise<QuietOrganization> {
  const organization = await givenOrganization();
  const lead = await givenLead(organization);
  const untouched = await storedLeads(organization);
  return {
    ...organization,
    lead,
    expectUntouched: async () => expect(await storedLeads(organization)).toEqual(untouched),
  };
}
