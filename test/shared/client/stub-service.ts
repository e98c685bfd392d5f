/** What a stub of the service answers. Left out, the status is 200 and the headers are none. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface StubRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An error response of the service. */
export const refusal = (
  status: number,
  code: string,
  more: { details?: object; headers?: Record<string, string> } = {},
): StubAnswer => ({
  status,
  headers: { 'X-Request-Id': 'r1', ...more.headers },
  body: { error: { code, message: 'No.', ...(more.details && { details: more.details }) } },
});

export const captured = (id = 1): StubAnswer => ({
  status: 201,
  body: { lead: { id, created: true, updated: false } },
});

/** Never answers. */
export const silence = Symbol('silence');

type Answer = StubAnswer | typeof silence | Error;

/** A `fetch` that answers from a list or by a function, and records what it was asked. */
export function stubService(answers: Answer[] | ((request: StubRequest) => Answer)): {
  fetch: typeof fetch;
  requests: StubRequest[];
} {
  const requests: StubRequest[] = [];
  const stub: typeof fetch = (url, init) => {
    const request = {
      method: init?.method ?? 'GET',
      url: String(url),
      headers: init?.headers as Record<string, string>,
      body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
    };
    requests.push(request);
    const answer = typeof answers === 'function' ? answers(request) : answers.shift();
    if (answer === undefined) throw new Error('The stub has no answer left.');
    if (answer instanceof Error) return Promise.reject(answer);
    if (answer === silence)
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    const { status = 200, headers = {}, body } = answer;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return Promise.resolve(new Response(text, { status, headers }));
  };
  return { fetch: stub, requests };
}
