import { targetOf } from '../../../infra/gateway/event.ts';
import { parseJson } from '../../../shared/base/json.ts';
import { assertDescribed, requestIdForm } from '../../support/described.ts';
import type { Answer, SentRequest } from './send.ts';
import type { Tenant } from './tenant.ts';

export interface AnswerProblems {
  /** `200`, or the code of an error. */
  readonly outcome: string;
  /** What is wrong with the answer, one sentence each. */
  readonly problems: string[];
}

/**
 * Checks a response against what must hold for every response. The document describes it, and the service did not fail. It contains no key
 * and nothing of another organization. It has the headers of every response, and none that names the server.
 * @param sent with the keys in it
 */
export function problemsOf(
  sent: SentRequest,
  answer: Answer,
  tenant: Tenant,
  others: readonly Tenant[],
): AnswerProblems {
  const { status, headers, text } = answer;
  const body = parseJson(text);
  const outcome = (body as { error?: { code?: string } } | undefined)?.error?.code ?? `${status}`;
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [status >= 500 && outcome !== 'NOT_READY', `the service failed with ${status} ${outcome}`],
    [headers.get('Cache-Control') !== 'no-store', 'Cache-Control is not no-store'],
    [headers.get('Content-Type') !== 'application/json', 'Content-Type is not application/json'],
    [
      !requestIdForm.test(headers.get('X-Request-Id') ?? ''),
      'X-Request-Id is missing, or the caller’s own',
    ],
    ...[...headers.keys()].map(
      (name) => [unwanted.test(name), `the header ${name} is there`] as const,
    ),
    ...Object.entries(tenant.keys).map(
      ([label, key]) =>
        [text.includes(key.slice(-40)), `the answer holds the key ${label}`] as const,
    ),
    [
      others.some(({ mark }) => text.includes(mark)),
      'the answer holds what is of another organization',
    ],
    [
      /\bat \S+ \(|node_modules|\.ts:\d+/.test(text) && !text.includes('items'),
      'the answer holds a stack trace',
    ],
  ];
  const broken = rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
  return { outcome, problems: [...describedProblems(sent, answer, body), ...broken] };
}

/** CORS, and what names or versions the server. */
const unwanted = /^(access-control-.*|server|x-powered-by|via|x-aws-.*|set-cookie|etag)$/;

function describedProblems(
  sent: SentRequest,
  { status, headers }: Answer,
  body: unknown,
): string[] {
  const { path, query } = targetOf({ url: sent.target });
  const url = { pathname: path, searchParams: new URLSearchParams(query) } as URL;
  const json =
    sent.body === undefined
      ? undefined
      : parseJson(new TextDecoder().decode(Buffer.from(sent.body)));
  try {
    assertDescribed({ method: sent.method, url, sent: json, status, headers, body });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
