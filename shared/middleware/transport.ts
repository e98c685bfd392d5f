import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import { apiKeyPrefix } from '../organization/api-key.ts';
import { decoded, headerValues, type Step } from './call.ts';

/**
 * Refuses a request because of its address or protocol: HTTPS_REQUIRED, KEY_IN_URL, NOT_FOUND, in the contract's order (sections 5 and 7).
 */
export const transport = (): Step => ({
  before: ({ event }) => {
    refusePlainHttp(event);
    refuseKeyInUrl(event);
    // API Gateway routes an address with a trailing slash to the same function; the contract has no such endpoint.
    if (event.path.endsWith('/')) throw new ApiError('NOT_FOUND');
  },
});

/** API Gateway names the scheme that the client used. A proxy in front of it may add its own. */
function refusePlainHttp(event: APIGatewayProxyEvent): void {
  const schemes = headerValues(event, 'x-forwarded-proto').flatMap((value) => value.split(','));
  if (schemes.some((scheme) => scheme.trim().toLowerCase() === 'http'))
    throw new ApiError('HTTPS_REQUIRED');
}

/** Parameter names that people use for API keys, in lower case and without punctuation. */
const secretParameter =
  /^(key|token|secret|auth|authorization|bearer|password)$|((api|access|auth|secret|private)key|(api|access|auth|bearer|refresh|id)token|(api|client)secret)$/;

/** @throws ApiError KEY_IN_URL if a parameter is named like a secret, or any part of the address looks like an API key */
function refuseKeyInUrl(event: APIGatewayProxyEvent): void {
  const parameters = Object.entries(event.multiValueQueryStringParameters ?? {});
  const isNamedLikeSecret = ([name]: [string, unknown]): boolean =>
    secretParameter.test(
      decoded(name)
        .toLowerCase()
        .replace(/[^a-z]/g, ''),
    );
  const address = [
    event.path,
    ...Object.values(event.pathParameters ?? {}),
    ...parameters.flat(2),
  ].join(' ');
  if (
    parameters.some(isNamedLikeSecret) ||
    decoded(decoded(address)).toLowerCase().includes(apiKeyPrefix)
  )
    throw new ApiError('KEY_IN_URL');
}
