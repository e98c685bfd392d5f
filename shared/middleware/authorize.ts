import type { Endpoint } from '../endpoints.ts';
import { ApiError } from '../errors.ts';
import type { Caller } from '../store/organizations/admission.ts';
import type { Middleware } from './call.ts';

/** Whether the API key holds one of the scopes that the endpoint wants. */
export const holdsScope = ({ scopes }: Caller, endpoint: Endpoint): boolean =>
  endpoint.scopes.some((scope) => scopes.includes(scope));

/**
 * Lets a caller in whose organization has the endpoint's module and whose API key holds one of its scopes (contract, section 5).
 * @throws ApiError FORBIDDEN, naming what would do.
 */
export const authorize = (): Middleware => ({
  before: ({ context: { endpoint, caller, organization } }) => {
    if (!organization?.modules.includes(endpoint.module)) {
      throw new ApiError(
        'FORBIDDEN',
        { module: endpoint.module },
        `The organization's plan does not include the module ${endpoint.module}.`,
      );
    }
    if (!caller || !holdsScope(caller, endpoint)) {
      throw new ApiError(
        'FORBIDDEN',
        { scopes: endpoint.scopes },
        `The API key lacks the scope ${endpoint.scopes.join(' or ')}.`,
      );
    }
  },
});
