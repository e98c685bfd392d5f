import { endpointDescriptions } from '../../infra/openapi/endpoint-descriptions.ts';
import { endpointAccess } from '../../infra/stack/endpoint-access.ts';
import { type EndpointName, endpoints, takesBody } from '../../shared/contract/endpoints.ts';
import { type Person, person } from './people.ts';

export interface GoodRequest {
  readonly name: EndpointName;
  /** The status of its response. */
  readonly status: number;
  /** The request about a lead and a person. The default person is new each time, so that the request can be sent more than once. */
  readonly request: (
    leadId: number,
    who?: Person,
  ) => { readonly leadId?: number; readonly body?: object };
}

/** Bodies about a person. Other endpoints send the first example of their description. */
const bodiesAbout: Readonly<Partial<Record<EndpointName, (who: Person) => object>>> = {
  'create-lead': (who) => ({ fields: who }),
  'capture-lead': (who) => who,
  'update-lead': (who) => ({ fields: { city: `City of ${who.name}` } }),
};

/** One good request per endpoint, which tests of every endpoint, the bench and the cold start share. */
export const goodRequests: readonly GoodRequest[] = endpoints.map((endpoint) => {
  const { name, path } = endpoint;
  const { responses, requests = {} } = endpointDescriptions[name];
  const body = bodiesAbout[name] ?? (() => Object.values(requests)[0] as object);
  return {
    name,
    // If there are two, the last is for something new.
    status: Number(Object.keys(responses).at(-1)),
    request: (leadId, who = person()) => ({
      ...(path.includes('{leadId}') && { leadId }),
      ...(takesBody(endpoint) && { body: body(who) }),
    }),
  };
});

/** The endpoints that list what is in an organization's settings: they read nothing but the settings. */
export const referenceLists = endpoints
  .filter(({ name }) => endpointAccess[name] === undefined)
  .map(({ name }) => name);
