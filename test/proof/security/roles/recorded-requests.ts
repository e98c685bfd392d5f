import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import { person } from '../../../support/people.ts';
import { goodRequests } from '../../../support/requests.ts';
import type { CallerRequest } from '../../simulation/lambda/gateway-event.ts';
import { readService } from '../../simulation/lambda/modules.ts';
import type { CallInfo } from '../../simulation/network.ts';
import { ObservedService } from '../../simulation/observed-service.ts';
import { type IamRequest, iamRequestsOf } from './iam-request.ts';

/** What each function asks of DynamoDB, as IAM sees it. */
export type RecordedRequests = ReadonlyMap<EndpointName, readonly IamRequest[]>;

/**
 * Runs every endpoint's function in the simulation, on every path that sends another kind of request, and records its requests. Keeps one
 * of several equal requests to other partitions of an item type.
 */
export async function recordRequests(): Promise<RecordedRequests> {
  const calls: CallInfo[] = [];
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: {
      seed: 'roles',
      faultOf(call) {
        calls.push(call);
        return 'none';
      },
    },
  });
  await callEveryEndpoint(service);
  const requests = new Map<EndpointName, Map<string, IamRequest>>();
  for (const call of calls) {
    const [endpoint = ''] = call.caller.split('#');
    const own = requests.get(endpoint as EndpointName) ?? new Map<string, IamRequest>();
    for (const request of iamRequestsOf(call)) own.set(kindOf(request), request);
    requests.set(endpoint as EndpointName, own);
  }
  return new Map([...requests].map(([endpoint, own]) => [endpoint, [...own.values()]]));
}

const kindOf = (request: IamRequest): string =>
  JSON.stringify(request).replace(/"([A-Z]+#)[^"]*"/g, '"$1"');

/** Every endpoint's good request, and the requests that make some of them touch every item type of their row. */
async function callEveryEndpoint(service: ObservedService): Promise<void> {
  const answer = async (
    endpoint: EndpointName,
    status: number,
    request: Omit<CallerRequest, 'apiKey' | 'endpoint'> = {},
  ): Promise<{ readonly lead: { readonly id: number } }> => {
    const apiKey = service.key(1, 'writer');
    const answered = await service.run(() =>
      service.request('a client', apiKey, { endpoint, ...request }),
    );
    if (answered?.status !== status)
      throw new Error(`${endpoint} answered ${answered?.status}: ${answered?.body}`);
    return JSON.parse(answered.body);
  };
  const create = { body: { fields: { ...person(), city: 'Pune' } } };
  const { lead } = await answer('create-lead', 201, create);
  await answer('create-lead', 409, create);
  const leadId = lead.id;
  for (const query of listQueries) await answer('list-leads', 200, { query });
  for (const body of updates) await answer('update-lead', 200, { leadId, body });
  const idempotent = { headers: { 'Idempotency-Key': 'first' } };
  const someone = person();
  const capture = { name: 'A person', phone: someone.phone };
  await answer('capture-lead', 201, { body: capture, ...idempotent });
  await answer('capture-lead', 200, { body: { ...someone, fields: { city: 'Delhi' } } });
  await answer('capture-lead', 200, { body: { ...someone, notes: 'Nothing to fill.' } });
  await answer('capture-lead', 200, { body: { ...person(), email: someone.email } });
  // The replay, and the replay that records another key.
  await answer('capture-lead', 201, { body: capture, ...idempotent });
  await answer('capture-lead', 201, { body: { ...capture, externalId: 'second' }, ...idempotent });
  for (const { name, status, request } of goodRequests) await answer(name, status, request(leadId));
}

const listQueries = [
  {},
  { stage_id: 11 },
  { pipeline_id: 1 },
  { owner_id: 7 },
  { source_id: 1 },
  { updated_since: '2020-01-01T00:00:00Z' },
  { filter: JSON.stringify([{ field: 'city', operator: 'equals', value: 'Pune' }]) },
];
const { phone, email } = person();
const updates = [
  { fields: { city: 'Delhi' } },
  { fields: { phone, email } },
  { fields: { email: null } },
  { stageId: 21 },
];
