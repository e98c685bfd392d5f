import { ApiError } from '../errors.ts';
import type { Middleware } from './call.ts';

/**
 * Requires that the organization has the endpoint's module and that the API key has one of its scopes (contract, section 5).
 * @throws ApiError FORBIDDEN, naming the module or the scopes that are missing.
 */
export const authorize = (): Middleware => ({
  before: ({ context: { endpoint, admitted } }) => {
    if (!admitted?.organization.modules.includes(endpoint.module)) {
      throw new ApiError(
        'FORBIDDEN',
        { module: endpoint.module },
        `The organization's plan does not include the module ${endpoint.module}.`,
      );
    }
    if (!admitted.hasScope) {
      throw new ApiError(
        'FORBIDDEN',
        { scopes: endpoint.scopes },
        `The API key lacks the scope ${endpoint.scopes.join(' or ')}.`,
      );
    }
  },
});
