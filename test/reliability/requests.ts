import { type EndpointName, endpointNamed } from '../../shared/endpoints.ts';
import { type CallOptions, call } from '../support/call.ts';
import type { GivenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { goodRequests as sharedRequests } from '../support/requests.ts';

/** A good request with the API key that sends it. */
export interface GoodRequest {
  readonly endpoint: EndpointName;
  readonly options: CallOptions;
  readonly status: number;
}

/** What the requests add to the shared ones: each reads and writes as many kinds of items as its endpoint can. */
const additions: Readonly<Partial<Record<EndpointName, () => CallOptions>>> = {
  'capture-lead': () => ({ headers: { 'Idempotency-Key': person().email } }),
  'update-lead': () => ({ body: { fields: person() } }),
  'list-leads': () => ({ query: { stage_id: 11 } }),
};

/** One good request for each endpoint that does more than admission, and one for those that do not. */
export async function goodRequests({
  reader,
  writer,
  website,
}: GivenOrganization): Promise<readonly GoodRequest[]> {
  const { body } = await call('capture-lead', { apiKey: website, body: person() });
  const leadId: number = body.lead.id;
  const apiKeyFor = (name: EndpointName): string => {
    if (name === 'capture-lead') return website;
    return endpointNamed(name).method === 'GET' ? reader : writer;
  };
  return sharedRequests
    .filter(
      ({ name }) =>
        name === 'list-lead-stages' || Object.keys(endpointNamed(name).access).length > 0,
    )
    .map(({ name, status, request }) => ({
      endpoint: name,
      options: { apiKey: apiKeyFor(name), ...request(leadId), ...additions[name]?.() },
      status,
    }));
}
