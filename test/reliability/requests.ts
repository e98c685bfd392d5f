import type { EndpointName } from '../../shared/endpoints.ts';
import { type CallOptions, type CallReply, call } from '../support/call.ts';
import type { FaultyService } from '../support/faults/faulty-service.ts';
import type { GivenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';

/** A request that is answered well while all is well. */
export interface GoodRequest {
  readonly endpoint: EndpointName;
  readonly options: CallOptions;
  readonly status: number;
}

/** One such request for each endpoint that does more than admission, and one for those that do not. */
export async function goodRequests({ reader, writer, website }: GivenOrganization): Promise<readonly GoodRequest[]> {
  const { body } = await call('capture-lead', { apiKey: website, body: person() });
  const leadId: number = body.lead.id;
  return [
    {
      endpoint: 'capture-lead',
      options: { apiKey: website, body: person(), headers: { 'Idempotency-Key': person().email } },
      status: 201,
    },
    { endpoint: 'create-lead', options: { apiKey: writer, body: { fields: person() } }, status: 201 },
    { endpoint: 'update-lead', options: { apiKey: writer, leadId, body: { fields: person() } }, status: 200 },
    { endpoint: 'add-note', options: { apiKey: writer, leadId, body: { text: 'Called back.' } }, status: 201 },
    { endpoint: 'get-lead', options: { apiKey: reader, leadId }, status: 200 },
    { endpoint: 'list-leads', options: { apiKey: reader, query: { stage_id: 11 } }, status: 200 },
    { endpoint: 'list-lead-stages', options: { apiKey: reader }, status: 200 },
  ];
}

/** Sends them side by side. @returns the answers by endpoint */
export async function sendAll(
  requests: readonly GoodRequest[],
  { baseUrl }: Pick<FaultyService, 'baseUrl'>,
): Promise<Readonly<Record<string, CallReply>>> {
  const answers = await Promise.all(
    requests.map(async ({ endpoint, options }) => [endpoint, await call(endpoint, { ...options, baseUrl })] as const),
  );
  return Object.fromEntries(answers);
}
