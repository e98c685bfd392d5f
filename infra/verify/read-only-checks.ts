import { randomBytes } from 'node:crypto';
import { type EndpointName, endpointNamed, endpoints } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../shared/organization/api-key.ts';
import { CheckError, type Checks } from './check.ts';
import { codeOf, expectError, replyText, routeOf } from './expect-reply.ts';
import { type HttpCall, type HttpReply, sendCall } from './http-call.ts';
import { nextFor } from './next-step.ts';
import { plainHttpReply } from './plain-http.ts';

/** API Gateway's quotas for REST APIs (developer guide, "Quotas"). */
const gatewayBodyMaxBytes = 10 * 1024 * 1024;
const gatewayHeadMaxBytes = 10_240;
const longRequestCodes = [
  'INVALID_QUERY',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNAUTHORIZED',
] as const;
const json = { 'Content-Type': 'application/json' };

/** What every address can show without a key and without a change: nothing is written, because each key is unknown. */
export async function readOnlyChecks(checks: Checks, baseUrl: string): Promise<void> {
  const check = new ReadOnlyChecks(checks, baseUrl);
  if (!(await check.answers()) || !(await check.databaseAnswers())) return;
  await check.unknownKeys();
  await check.withoutKey();
  await check.unknownAddresses();
  await check.keyInUrl();
  await check.bodies();
  await check.longRequestLine();
  await check.plainHttp();
  await check.requestIds();
}

class ReadOnlyChecks {
  readonly #checks: Checks;
  readonly #baseUrl: string;
  readonly #authorization = { Authorization: `Bearer ${unknownKey()}` };

  constructor(checks: Checks, baseUrl: string) {
    this.#checks = checks;
    this.#baseUrl = baseUrl;
  }

  /** Without an answer, no other check tells anything. */
  answers(): Promise<boolean> {
    return this.#checks.passes(`GET ${this.#baseUrl}/api/v1/lead-fields`, async () =>
      replyText(await this.#send({ method: 'GET', path: '/api/v1/lead-fields' })),
    );
  }

  /**
   * A silent database makes each request with a key take seconds. So two are asked at first, in parallel: if both wait for it, they are the
   * result, and the other checks would only wait as well.
   */
  async databaseAnswers(): Promise<boolean> {
    const startedAt = Date.now();
    const asked = await Promise.all(
      endpoints
        .slice(0, 2)
        .map(async ({ name }) => ({ name, reply: await this.#sendUnknown(name) })),
    );
    const ms = Date.now() - startedAt;
    if (ms < silentFromMs || !asked.every(({ reply }) => isFailure(reply))) return true;
    const next = `DynamoDB does not answer: each request took ${Math.round(ms / 1000)} s. In AWS, see AWS Health and the log of the functions; locally, start the service again.`;
    for (const { name, reply } of asked) {
      await this.#checks.passes(`${routeOf(name)} with an unknown key`, async () => {
        if (reply instanceof Error) throw reply;
        throw new CheckError(`${replyText(reply)}; expected 401 UNAUTHORIZED`, next);
      });
    }
    return false;
  }

  /** Admission is a conditional update of the table: a 401 proves the route, the function, its role, the table and the encryption key. */
  async unknownKeys(): Promise<void> {
    const replies = new Map<EndpointName, HttpReply | Error>();
    for (const { name } of endpoints) replies.set(name, await this.#sendUnknown(name));
    const failed = [...replies].filter(([, reply]) => isFailure(reply)).map(([name]) => name);
    // One that fails alone is asked again, as every caller does after a server error.
    if (failed.length < endpoints.length)
      for (const name of failed) replies.set(name, await this.#sendUnknown(name));
    for (const [name, reply] of replies) {
      await this.#checks.passes(`${routeOf(name)} with an unknown key`, async () => {
        if (reply instanceof Error) throw reply;
        if (isFailure(reply)) throw unknownKeyError(reply, name, failed.length);
        return expectError(reply, ['UNAUTHORIZED'], name);
      });
    }
  }

  async withoutKey(): Promise<void> {
    await this.#expect('GET /api/v1/leads without a key', ['UNAUTHORIZED'], {
      method: 'GET',
      path: '/api/v1/leads',
    });
    await this.#expect('GET /api/v1/leads with a key of a wrong form', ['UNAUTHORIZED'], {
      method: 'GET',
      path: '/api/v1/leads',
      headers: { Authorization: 'Bearer leads_live_wrong' },
    });
  }

  async unknownAddresses(): Promise<void> {
    const addresses: readonly (readonly [method: string, path: string])[] = [
      ['GET', '/api/v1/nothing'],
      ['GET', '/'],
      ['DELETE', '/api/v1/leads'],
      ['OPTIONS', '/api/v1/leads'],
    ];
    for (const [method, path] of addresses) {
      await this.#expect(`${method} ${path}, an unknown address`, ['NOT_FOUND'], {
        method,
        path,
        headers: this.#authorization,
      });
    }
  }

  async keyInUrl(): Promise<void> {
    await this.#expect('GET /api/v1/leads with a key in the URL', ['KEY_IN_URL'], {
      method: 'GET',
      path: `/api/v1/leads?api_key=${unknownKey()}`,
    });
  }

  async bodies(): Promise<void> {
    const post = (body: string | Buffer, headers: HttpCall['headers'] = json): HttpCall => ({
      method: 'POST',
      // Not the capture: on a service with few, these refusals would set off the alarm for lost enquiries.
      path: '/api/v1/leads',
      headers: { ...this.#authorization, ...headers },
      body,
    });
    const largeText = (bytes: number) => Buffer.alloc(bytes, '{');
    await this.#expect('A body that is not JSON', ['INVALID_JSON'], post('{"name":'));
    // API Gateway documents that it reads bodies as UTF-8, but not what it makes of other bytes.
    await this.#expect(
      'A body that is not UTF-8',
      ['INVALID_JSON'],
      post(Buffer.from('{"name":"Ren\u00e9"}', 'latin1')),
    );
    await this.#expect(
      'A body without Content-Type: application/json',
      ['UNSUPPORTED_MEDIA_TYPE'],
      post('name=Asha', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    );
    await this.#expect(
      `A body of ${limits.bodyMaxBytes + 1} bytes`,
      ['PAYLOAD_TOO_LARGE'],
      post(largeText(limits.bodyMaxBytes + 1)),
    );
    await this.#expect(
      'A body of 11 MB, more than API Gateway accepts',
      ['PAYLOAD_TOO_LARGE'],
      post(largeText(gatewayBodyMaxBytes + 1024 * 1024)),
    );
  }

  /**
   * API Gateway documents the limit, but not its response. The local gateway accepts more unless it runs with --gateway-limits; the
   * function then refuses the key.
   */
  async longRequestLine(): Promise<void> {
    const filter = encodeURIComponent('[]'.padEnd(gatewayHeadMaxBytes + 1000, ' '));
    const path = `/api/v1/leads?filter=${filter}`;
    const check = `A request line of more than ${gatewayHeadMaxBytes} bytes`;
    await this.#checks.passes(check, async () => {
      const reply = await this.#send({ method: 'GET', path, headers: this.#authorization });
      const came = expectError(reply, longRequestCodes);
      return codeOf(reply) === 'UNAUTHORIZED' ? `${came}: this address accepts it` : came;
    });
  }

  /** API Gateway serves no plain HTTP: a refused connection is right there. The local gateway takes the header for it. */
  async plainHttp(): Promise<void> {
    const { protocol } = new URL(this.#baseUrl);
    if (protocol === 'http:') {
      await this.#expect(
        'A request over plain HTTP (X-Forwarded-Proto: http)',
        ['HTTPS_REQUIRED'],
        {
          method: 'GET',
          path: '/api/v1/leads',
          headers: { ...this.#authorization, 'X-Forwarded-Proto': 'http' },
        },
      );
      return;
    }
    await this.#checks.passes('A request over plain HTTP', () => plainHttpReply(this.#baseUrl));
  }

  async requestIds(): Promise<void> {
    await this.#checks.passes('Two requests have different request IDs', async () => {
      const call = { method: 'GET', path: '/api/v1/users', headers: this.#authorization };
      const replies = await Promise.all([this.#send(call), this.#send(call)]);
      const [first, second] = replies.map(({ headers }) => headers['x-request-id']);
      if (first !== undefined && first !== second) return `${String(first)}, ${String(second)}`;
      throw new CheckError(
        `${String(first)}, ${String(second)}`,
        'Does a cache answer in front of the API? Responses have Cache-Control: no-store.',
      );
    });
  }

  #expect(check: string, codes: Parameters<typeof expectError>[1], call: HttpCall) {
    return this.#checks.passes(check, async () => expectError(await this.#send(call), codes));
  }

  #send(call: HttpCall): Promise<HttpReply> {
    this.#checks.throwIfInterrupted();
    return sendCall(this.#baseUrl, call);
  }

  #sendUnknown(name: EndpointName): Promise<HttpReply | Error> {
    const { method, path, takesBody } = endpointNamed(name);
    return this.#send({
      method,
      path: path.replace('{leadId}', '1'),
      headers: { ...this.#authorization, ...(takesBody && json) },
      ...(takesBody && { body: '{}' }),
    }).catch((error: Error) => error);
  }
}

/** A function waits this long for one call of a silent DynamoDB, at least (shared/store/table/client.ts). */
const silentFromMs = 3000;

const isFailure = (reply: HttpReply | Error): boolean =>
  reply instanceof Error || reply.status >= 500;

/** A key that has the right form and checksum, and that no table has. */
const unknownKey = (): string => mintApiKey(randomBytes(apiKeyRandomBytes)).key;

function unknownKeyError(reply: HttpReply, name: EndpointName, failed: number): CheckError {
  const came = `${replyText(reply)}; expected 401 UNAUTHORIZED`;
  const isEvery = failed === endpoints.length;
  const cause = isEvery
    ? 'Every function fails at its first call of DynamoDB: LEADS_TABLE names no table of the region, or the roles may not use the table or its encryption key'
    : `Other functions answer 401, so the table is right: the role or the code of this function (${name}) is wrong`;
  return new CheckError(came, `${cause}. ${nextFor(reply, name)}`);
}
