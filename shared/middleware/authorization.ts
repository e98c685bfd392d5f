import { type Endpoint, endpointModule } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import type { Caller } from '../store/organizations/admission.ts';
import type { Admitted, Step } from './call.ts';

/** Refuses with FORBIDDEN, naming the module that the organization lacks, or the scopes that the API key would need (contract, section 5). */
export const authorization = (): Step<Admitted> => ({
  before: ({ context: { endpoint, organization, caller } }) => {
    if (!organization.modules.includes(endpointModule)) {
      const sentence = `The organization's plan does not include the module ${endpointModule}.`;
      throw new ApiError('FORBIDDEN', { module: endpointModule }, sentence);
    }
    if (!hasScope(endpoint, caller)) {
      const { scopes } = endpoint;
      const sentence = `The API key lacks the scope ${scopes.join(' or ')}.`;
      throw new ApiError('FORBIDDEN', { scopes }, sentence);
    }
  },
});

export const hasScope = (endpoint: Endpoint, caller: Caller): boolean =>
  endpoint.scopes.some((scope) => caller.scopes.includes(scope));
