import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { syntaxErrorPosition } from '../base/json.ts';
import { takesBody } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { apiKeyPrefix } from '../organization/api-key.ts';
import { decoded, headerValues, type Middleware } from './call.ts';

/**
 * Throws the errors that come before the API key is checked, in the contract's order (sections 5 and 7): HTTPS_REQUIRED, KEY_IN_URL,
 * NOT_FOUND, and for an endpoint that takes a body PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON.
 */
export const transport = (): Middleware => ({
  before: async (request) => {
    const { event, context: call } = request;
    refusePlainHttp(event);
    refuseKeyInUrl(event);
    // API Gateway routes an address with a trailing slash to the same function; the contract has no such endpoint.
    if (event.path.endsWith('/')) throw new ApiError('NOT_FOUND');
    if (!takesBody(call.endpoint)) return;
    refuseLargeBody(event);
    refuseOtherMediaTypes(event);
    call.jsonBody = readJson(request);
  },
});

/** API Gateway names the scheme that the client used. A proxy in front of it may add its own. */
function refusePlainHttp(event: APIGatewayProxyEvent): void {
  const schemes = headerValues(event, 'x-forwarded-proto').flatMap((value) => value.split(','));
  if (schemes.some((scheme) => scheme.trim().toLowerCase() === 'http'))
    throw new ApiError('HTTPS_REQUIRED');
}

/** Parameter names under which people send API keys, in lower case and without punctuation. */
const secretParameter =
  /^(key|token|secret|auth|authorization|bearer|password)$|((api|access|auth|secret|private)key|(api|access|auth|bearer|refresh|id)token|(api|client)secret)$/;

/** @throws ApiError KEY_IN_URL for a parameter named like a secret, and for any part of the address that looks like an API key */
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

function refuseLargeBody({ body, isBase64Encoded }: APIGatewayProxyEvent): void {
  const bytes = Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > limits.bodyMaxBytes) throw new ApiError('PAYLOAD_TOO_LARGE');
}

function refuseOtherMediaTypes(event: APIGatewayProxyEvent): void {
  const types = new Set(
    headerValues(event, 'content-type').map((value) => value.split(';')[0]?.trim().toLowerCase()),
  );
  if (types.size !== 1 || !types.has('application/json'))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
}

/** API Gateway replaces bytes that are not UTF-8 by this character and passes the body on. */
const replacementCharacter = '\ufffd';
const lostBytes =
  'The body is not UTF-8, or it contains U+FFFD, which replaces bytes that are not UTF-8. Send UTF-8, and write an intended U+FFFD as \\ufffd.';

/** `refuseOtherMediaTypes` has checked the content type. */
const parser = jsonBodyParser({ disableContentTypeCheck: true });

function readJson(request: Parameters<NonNullable<Middleware['before']>>[0]): unknown {
  const { event } = request;
  const { body, isBase64Encoded } = event;
  const sent = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  // VS Code and .NET begin a text with a byte order mark, which a reader may ignore (RFC 8259, section 8.1).
  const text = sent?.replace(/^\ufeff/, '');
  if (!text)
    throw new ApiError('INVALID_JSON', undefined, 'The body is missing: send a JSON object.');
  // A replaced letter cannot be told from a U+FFFD that was sent, and the lead would be stored with it.
  if (text.includes(replacementCharacter)) throw notJson(event, lostBytes);
  Object.assign(event, { body: text, isBase64Encoded: false });
  try {
    parser.before?.(request);
    return event.body;
  } catch {
    // The parser refuses valid JSON with a name such as `__proto__`. JSON.parse makes it a property like any other, which the schemas and
    // the field rules then refuse as unknown, by its name; they read only own properties.
    return parsedJson(event, text);
  }
}

function parsedJson(event: APIGatewayProxyEvent, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = syntaxErrorPosition(text, error); // the error's own message quotes the body
    throw notJson(event, `The body is not valid JSON: see position ${position}, counted from 0.`);
  }
}

/** The error for a body that cannot be read. Whoever compresses a body names the encoding. */
function notJson(event: APIGatewayProxyEvent, sentence: string): ApiError {
  const encodings = headerValues(event, 'content-encoding').join();
  const isEncoded = !/^(identity)?$/i.test(encodings.trim());
  return new ApiError(
    'INVALID_JSON',
    undefined,
    isEncoded ? 'Send the body uncompressed, without Content-Encoding.' : sentence,
  );
}
