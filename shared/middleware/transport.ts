import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../errors.ts';
import { limits } from '../limits.ts';
import { apiKeyPrefix } from '../organization/api-key.ts';
import { headerValues, type Middleware } from './call.ts';

/**
 * The errors that are found before the key is looked at, in the contract's order (sections 5 and 7): HTTPS_REQUIRED, KEY_IN_URL, NOT_FOUND,
 * and for an endpoint that takes a body PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON.
 */
export const transport = (): Middleware => ({
  before: async ({ event, context: call }) => {
    refusePlainHttp(event);
    refuseKeyInUrl(event);
    // API Gateway brings an address with a slash behind it to the same route; the contract has no such endpoint.
    if (event.path.endsWith('/')) throw new ApiError('NOT_FOUND');
    if (!call.endpoint.takesBody) return;
    refuseLargeBody(event);
    refuseOtherMediaTypes(event);
    call.jsonBody = parseJson(event);
  },
});

/** API Gateway names the scheme the client used; a proxy before it may add its own. */
function refusePlainHttp(event: APIGatewayProxyEvent): void {
  const schemes = headerValues(event, 'x-forwarded-proto').flatMap((value) => value.split(','));
  if (schemes.some((scheme) => scheme.trim().toLowerCase() === 'http')) throw new ApiError('HTTPS_REQUIRED');
}

/** Parameter names under which people send keys, without case and punctuation. */
const secretParameter =
  /^(key|token|secret|auth|authorization|bearer|password)$|((api|access|auth|secret|private)key|(api|access|auth|bearer|refresh|id)token|(api|client)secret)$/;

/** @throws ApiError KEY_IN_URL for a parameter named like a secret, and for anything in the address that looks like an API key. */
function refuseKeyInUrl(event: APIGatewayProxyEvent): void {
  const parameters = Object.entries(event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {});
  const isNamedLikeSecret = ([name]: [string, unknown]): boolean =>
    secretParameter.test(
      decoded(name)
        .toLowerCase()
        .replace(/[^a-z]/g, ''),
    );
  const address = [event.path, ...Object.values(event.pathParameters ?? {}), ...parameters.flat(2)].join(' ');
  if (parameters.some(isNamedLikeSecret) || decoded(decoded(address)).toLowerCase().includes(apiKeyPrefix))
    throw new ApiError('KEY_IN_URL');
}

/** Percent-decoded where it can be; the gateway decodes parameters once and leaves paths alone. */
function decoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (encoded) => Buffer.from(encoded.replaceAll('%', ''), 'hex').toString());
}

function refuseLargeBody({ body, isBase64Encoded }: APIGatewayProxyEvent): void {
  const bytes = Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > limits.bodyMaxBytes) throw new ApiError('PAYLOAD_TOO_LARGE');
}

function refuseOtherMediaTypes(event: APIGatewayProxyEvent): void {
  const types = new Set(headerValues(event, 'content-type').map((value) => value.split(';')[0]?.trim().toLowerCase()));
  if (types.size !== 1 || !types.has('application/json')) throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
}

const parser = jsonBodyParser();

/** In bytes that are not UTF-8, API Gateway puts this in the place of what it cannot read, and hands the body on. */
const replacementCharacter = '\ufffd';
const lostBytes =
  'The body is not UTF-8, or it contains U+FFFD, which stands where bytes were not UTF-8: send it in UTF-8, and a U+FFFD that is meant as \\ufffd.';

/** The body parsed by middy's parser, whose own errors become the contract's. */
function parseJson({ body, isBase64Encoded }: APIGatewayProxyEvent): unknown {
  if (!body) throw new ApiError('INVALID_JSON', undefined, 'The body is missing: send a JSON object.');
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  // Nothing tells a letter that was lost from a U+FFFD that was sent; the lead would be stored with either.
  if (text.includes(replacementCharacter)) throw new ApiError('INVALID_JSON', undefined, lostBytes);
  const request = { event: { headers: { 'content-type': 'application/json' }, body: text, isBase64Encoded: false } };
  try {
    parser.before?.(request as unknown as Parameters<NonNullable<typeof parser.before>>[0]);
  } catch (error) {
    const { statusCode, message } = error as Error & { statusCode?: number };
    if (statusCode !== 422) throw error;
    // Valid JSON with a key such as `__proto__` is not invalid JSON. JSON.parse makes it a property like any other, which the schemas and
    // the field rules then refuse as unknown, naming it; they read own properties alone.
    if (message.startsWith('Forbidden key')) return JSON.parse(text);
    throw new ApiError('INVALID_JSON'); // the parser's own error carries the whole body
  }
  return request.event.body;
}
