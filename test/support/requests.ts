import { type EndpointName, endpoints } from '../../shared/endpoints.ts';
import type { CallOptions } from './call.ts';
import { person } from './people.ts';

export interface GoodRequest {
  readonly name: EndpointName;
  /** The status of its answer. */
  readonly status: 200 | 201;
  /** The request, new each time, so that it may be made more than once. */
  readonly request: (leadId: number) => CallOptions;
}

const bodies: Partial<Record<EndpointName, () => object>> = {
  'create-lead': () => ({ fields: person() }),
  'capture-lead': () => person(),
  'update-lead': () => ({ fields: { city: `City of ${person().name}` } }),
  'add-note': () => ({ text: 'Called back.' }),
};
const making: readonly EndpointName[] = ['create-lead', 'capture-lead', 'add-note'];

/** A request per endpoint that is taken, given the id of a lead: the base of whatever holds for every endpoint. */
export const goodRequests: readonly GoodRequest[] = endpoints.map(({ name, path }) => ({
  name,
  status: making.includes(name) ? 201 : 200,
  request: (leadId) => ({ body: bodies[name]?.(), ...(path.includes('{leadId}') && { leadId }) }),
}));

/** Those of the endpoints that take a body. */
export const bodyRequests = goodRequests.filter(({ name }) => bodies[name]);
