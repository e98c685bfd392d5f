import * as v from 'valibot';
import { type Endpoint, type EndpointName, endpointNamed } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import { endpointDescriptions } from '../openapi/endpoint-descriptions.ts';
import { showsLimits } from '../openapi/endpoint-errors.ts';
import { detailSchemas, errorDetails } from '../openapi/error-schemas.ts';
import { CheckError } from './check.ts';
import type { HttpReply } from './http-call.ts';
import { nextFor } from './next-step.ts';

/** How much of a body that is not the contract's is printed. */
const excerptMaxChars = 160;

/** A reply in a few words: `401 UNAUTHORIZED, X-Request-Id …`. */
export function replyText(reply: HttpReply): string {
  const code = codeOf(reply);
  const requestId = reply.headers['x-request-id'] ?? reply.headers['x-amzn-requestid'];
  return [
    [reply.status, code].filter((part) => part !== undefined).join(' '),
    ...(requestId === undefined ? [] : [`X-Request-Id ${String(requestId)}`]),
  ].join(', ');
}

/** The code of a body in the contract's error shape; undefined for any other body. */
export function codeOf({ json }: HttpReply): ErrorCode | undefined {
  const parsed = v.safeParse(errorBodySchema, json);
  if (!parsed.success) return undefined;
  const { code, details } = parsed.output.error;
  const schema = errorDetails[code]?.schema;
  const isRight = details === undefined || (schema && v.is(detailSchemas[schema], details));
  return isRight ? code : undefined;
}

const errorBodySchema = v.strictObject({
  error: v.strictObject({
    code: v.picklist(Object.keys(apiErrors) as ErrorCode[]),
    message: v.string(),
    details: v.exactOptional(v.looseObject({})),
  }),
});

/**
 * Expects an error of the contract: its status, its body and its headers.
 * @param codes those that are right; more than one where the gateway or the function may notice first
 * @returns what came
 * @throws CheckError
 */
export function expectError(
  reply: HttpReply,
  codes: readonly ErrorCode[],
  endpoint?: EndpointName,
): string {
  const code = codeOf(reply);
  const expected = codes.map((one) => `${apiErrors[one].status} ${one}`).join(' or ');
  if (code === undefined) {
    const isRightStatus = codes.some((one) => apiErrors[one].status === reply.status);
    const what = `${replyText(reply)}, without the contract's error body: ${excerpt(reply)}`;
    throw new CheckError(
      isRightStatus ? what : `${what}; expected ${expected}`,
      nextFor(reply, endpoint),
    );
  }
  if (!codes.includes(code) || reply.status !== apiErrors[code].status) {
    throw new CheckError(`${replyText(reply)}; expected ${expected}`, nextFor(reply, endpoint));
  }
  expectHeaders(reply, showsLimits[code] === 'always' && endpoint !== undefined);
  return replyText(reply);
}

/**
 * Expects a successful response of an endpoint: its status, the body that the API description has for it, and the headers.
 * @returns the body
 * @throws CheckError
 */
export function expectSuccess<Body>(reply: HttpReply, name: EndpointName, status: 200 | 201): Body {
  const response = endpointDescriptions[name].responses[status];
  if (reply.status !== status || !response) {
    throw new CheckError(`${replyText(reply)}; expected ${status}`, nextFor(reply, name));
  }
  const parsed = v.safeParse(response.schema, reply.json);
  if (!parsed.success) {
    const issues = v.summarize(parsed.issues).replace(/\s+/g, ' ');
    throw new CheckError(
      `${replyText(reply)}, but the body is not the one that openapi.json describes (${issues.slice(0, 300)})`,
      'Is the deployed version the one that this command comes with? Deploy it, or check out the version that is deployed.',
    );
  }
  expectHeaders(reply, true);
  return reply.json as Body;
}

/** @throws CheckError when a header that every response has is missing, or one that none has is there */
function expectHeaders({ headers }: HttpReply, withLimits: boolean): void {
  const required = ['X-Request-Id', ...(withLimits ? limitHeaders : [])];
  const missing = required.filter((name) => !headers[name.toLowerCase()]);
  if (missing.length > 0) {
    throw new CheckError(
      `the header ${missing.join(', ')} is missing`,
      'Does a proxy or CDN in front of the API remove headers? Otherwise see infra/gateway/responses.ts and shared/middleware/respond.ts.',
    );
  }
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
    throw new CheckError(
      `the Content-Type is ${headers['content-type'] ?? 'missing'}; expected application/json`,
      'Does something other than the API answer at this address? Check the base URL.',
    );
  }
  const cors = Object.keys(headers).find((name) => name.startsWith('access-control-'));
  if (cors !== undefined) {
    throw new CheckError(
      `the header ${cors} allows calls from browsers, which the contract excludes`,
      'Remove CORS from the API or from the proxy in front of it.',
    );
  }
}

const limitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const excerpt = ({ text }: HttpReply): string =>
  text === '' ? '(empty)' : text.slice(0, excerptMaxChars).replace(/\s+/g, ' ');

/** An endpoint as it is printed: `GET /api/v1/leads`. */
export function routeOf(name: EndpointName): string {
  const { method, path }: Endpoint = endpointNamed(name);
  return `${method} ${path}`;
}
