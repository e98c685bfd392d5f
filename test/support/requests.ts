import { type EndpointName, endpoints, takesBody } from '../../shared/endpoints.ts';
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

/**
 * One good request per endpoint, which tests of every endpoint, the bench and the cold start share. An endpoint without a row needs no
 * more than a key.
 */
const requests: Readonly<Partial<Record<EndpointName, Omit<GoodRequest, 'name'>>>> = {
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
};

export const goodRequests: readonly GoodRequest[] = endpoints.map(({ name }) => ({
  name,
  status: 200,
  request: () => ({}),
  ...requests[name],
}));

/** The good requests of the endpoints that take a body. */
export const bodyRequests = goodRequests.filter(({ name }) =>
  endpoints.some((one) => one.name === name && takesBody(one)),
);

/** The endpoints that list what is in an organization's settings: they read nothing but the settings. */
export const referenceLists = endpoints
  .filter(({ access }) => Object.keys(access).length === 0)
  .map(({ name }) => name);
