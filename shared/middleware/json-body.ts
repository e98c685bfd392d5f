import middy from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { syntaxErrorPosition } from '../base/json.ts';
import { ApiError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { headerValues, type JsonBody, type Step } from './call.ts';

/** Reads the body, or refuses it: PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON (contract, section 7). */
export const jsonBody = (): Step<JsonBody> => ({
  before: async ({ event, context: call }) => {
    refuseLargeBody(event);
    refuseOtherMediaTypes(event);
    const text = textOf(event);
    // Drops the parser's error, because it holds the whole body.
    call.jsonBody = await parser({ ...event, body: text, isBase64Encoded: false }, call).catch(() =>
      parsedJson(event, text),
    );
  },
});

const parser = middy((event: APIGatewayProxyEvent): unknown => event.body).use(
  jsonBodyParser({ disableContentTypeCheck: true }), // `refuseOtherMediaTypes` has checked it
);

/**
 * Parses a text that the parser refused, which can be valid JSON with a name such as `__proto__`. JSON.parse makes it an ordinary property.
 * The schemas and the field rules, which read only own properties, then refuse it by name as unknown.
 */
function parsedJson(event: APIGatewayProxyEvent, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = syntaxErrorPosition(text, error); // the error's message would quote the body
    throw notJson(event, `The body is not valid JSON: see position ${position}, counted from 0.`);
  }
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

/** API Gateway replaces bytes that are not UTF-8 with this character, and passes the body on. */
const replacementCharacter = '\ufffd';
const lostBytes =
  'The body is not UTF-8, or it contains U+FFFD, which replaces bytes that are not UTF-8. Send UTF-8, and write an intended U+FFFD as \\ufffd.';

/** @throws ApiError INVALID_JSON for a body that is missing or not UTF-8 */
function textOf(event: APIGatewayProxyEvent): string {
  const { body, isBase64Encoded } = event;
  const sent = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  // VS Code and .NET can begin a text with a byte order mark, which a reader may ignore (RFC 8259, section 8.1).
  const text = sent?.replace(/^\ufeff/, '');
  if (!text)
    throw new ApiError('INVALID_JSON', undefined, 'The body is missing: send a JSON object.');
  // A replaced letter looks the same as a U+FFFD that was sent, and would be stored with the lead.
  if (text.includes(replacementCharacter)) throw notJson(event, lostBytes);
  return text;
}

/** The error for a body that cannot be read. A Content-Encoding header means that the body is compressed. */
function notJson(event: APIGatewayProxyEvent, sentence: string): ApiError {
  const encodings = headerValues(event, 'content-encoding').join();
  const isEncoded = !/^(identity)?$/i.test(encodings.trim());
  return new ApiError(
    'INVALID_JSON',
    undefined,
    isEncoded ? 'Send the body uncompressed, without Content-Encoding.' : sentence,
  );
}
