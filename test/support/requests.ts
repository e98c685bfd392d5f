import { type EndpointName, endpoints } from '../../shared/endpoints.ts';
import { type Person, person } from './people.ts';

export interface GoodRequest {
  readonly name: EndpointName;
  /** The status of its response. */
  readonly status: 200 | 201;
  /** The request about a lead and a person. The default person is new each time, so that the request can be sent more than once. */
  readonly request: (
    leadId: number,
    who?: Person,
  ) => { readonly leadId?: number; readonly body?: object };
}

/** One good request per endpoint, which tests of every endpoint, the bench and the cold start share. */
const requests: Readonly<Record<EndpointName, Omit<GoodRequest, 'name'>>> = {
  'list-leads': { status: 200, request: () => ({}) },
  'create-lead': { status: 201, request: (_, who = person()) => ({ body: { fields: who } }) },
  'capture-lead': { status: 201, request: (_, who = person()) => ({ body: who }) },
  'get-lead': { status: 200, request: (leadId) => ({ leadId }) },
  'update-lead': {
    status: 200,
    request: (leadId, who = person()) => ({
      leadId,
      body: { fields: { city: `City of ${who.name}` } },
    }),
  },
  'add-note': { status: 201, request: (leadId) => ({ leadId, body: { text: 'Called back.' } }) },
  'list-lead-fields': { status: 200, request: () => ({}) },
  'list-lead-stages': { status: 200, request: () => ({}) },
  'list-pipelines': { status: 200, request: () => ({}) },
  'list-lead-sources': { status: 200, request: () => ({}) },
  'list-users': { status: 200, request: () => ({}) },
};

export const goodRequests: readonly GoodRequest[] = endpoints.map(({ name }) => ({
  name,
  ...requests[name],
}));

/** The good requests of the endpoints that take a body. */
export const bodyRequests = goodRequests.filter(({ name }) =>
  endpoints.some((one) => one.name === name && one.takesBody),
);
