import { targetOf } from '../../infra/gateway/event.ts';
import { parseJson } from '../../shared/json.ts';
import { assertDescribed, requestIdForm } from '../support/described.ts';
import type { Answer, SentRequest } from './send.ts';
import type { Tenant } from './tenant.ts';

export interface AnswerProblems {
  /** `200`, or the code of an error. */
  readonly outcome: string;
  /** What is wrong with the answer, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Checks an answer against what is true of every answer: the document describes it, the service did not fail, it contains no key and
 * nothing of another organization, and it has the headers of every response and none that names the server.
 * @param sent with the keys in it
 */
export function problemsOf(
  sent: SentRequest,
  answer: Answer,
  tenant: Tenant,
  others: readonly Tenant[],
): AnswerProblems {
  const body = parseJson(answer.text);
  const outcome =
    (body as { error?: { code?: string } } | undefined)?.error?.code ?? String(answer.status);
  const problems = [
    isFailure(answer.status, outcome)
      ? `the service failed with ${answer.status} ${outcome}`
      : undefined,
    describedProblem(sent, answer, body),
    ...headerProblems(answer.headers),
    ...Object.entries(tenant.keys).map(([label, key]) =>
      answer.text.includes(key.slice(-40)) ? `the answer holds the key ${label}` : undefined,
    ),
    others.some(({ mark }) => answer.text.includes(mark))
      ? 'the answer holds what is of another organization'
      : undefined,
    /\bat \S+ \(|node_modules|\.ts:\d+/.test(answer.text) && !answer.text.includes('items')
      ? 'the answer holds a stack trace'
      : undefined,
  ];
  return { outcome, problems: problems.filter((problem) => problem !== undefined) };
}

const isFailure = (status: number, outcome: string): boolean =>
  status >= 500 && outcome !== 'NOT_READY';

function describedProblem(
  sent: SentRequest,
  { status, headers }: Answer,
  body: unknown,
): string | undefined {
  const { path, query } = targetOf({ url: sent.target });
  const url = { pathname: path, searchParams: new URLSearchParams(query) } as URL;
  const json = sent.body === undefined ? undefined : parseJson(Buffer.from(sent.body).toString());
  try {
    assertDescribed({ method: sent.method, url, sent: json, status, headers, body });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** CORS, and what names or versions the server. */
const unwanted = /^(access-control-.*|server|x-powered-by|via|x-aws-.*|set-cookie|etag)$/;

function headerProblems(headers: Headers): (string | undefined)[] {
  return [
    headers.get('Cache-Control') === 'no-store' ? undefined : 'Cache-Control is not no-store',
    headers.get('Content-Type') === 'application/json'
      ? undefined
      : 'Content-Type is not application/json',
    requestIdForm.test(headers.get('X-Request-Id') ?? '')
      ? undefined
      : 'X-Request-Id is missing, or the caller’s own',
    ...[...headers.keys()].map((name) =>
      unwanted.test(name) ? `the header ${name} is there` : undefined,
    ),
  ];
}
