import { commitsOf } from '../checker/effects.ts';
import type { History, ObservedAction, ObservedRequest } from '../checker/history.ts';

/** What happened in a history, a line for each request, command, fault and commit, in the order of time. */
export function storyOf({ requests, actions }: Pick<History, 'requests' | 'actions'>): string {
  const all = [
    ...requests.filter(({ client }) => client !== 'the checker'),
    ...actions.filter(({ what }) => what !== 'check'),
  ];
  const from = Math.min(...all.map(({ startedAt }) => startedAt));
  const events = all.flatMap((work) =>
    work.kind === 'request' ? requestEvents(work) : actionEvents(work),
  );
  return events
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => `${(at - from).toFixed(1).padStart(10)} ms  ${text}`)
    .join('\n');
}

interface StoryEvent {
  readonly at: number;
  readonly text: string;
}

function requestEvents(work: ObservedRequest): StoryEvent[] {
  const { id, client, what, request, apiKey, organizationId, answer, startedAt, endedAt, faults } =
    work;
  const { leadId, query, body, headers } = request;
  const sent = [
    leadId && `lead ${leadId}`,
    query && JSON.stringify(query),
    headers && Object.keys(headers).length > 0 && JSON.stringify(headers),
    body && JSON.stringify(body),
  ];
  const key = `key ${apiKey.keyId} of organization ${organizationId}`;
  const begin = {
    at: startedAt,
    text: `${client} sends ${id}: ${what} ${sent.filter(Boolean).join(' ')} with ${key}`,
  };
  const reply = answer ? `${answer.status} ${answer.body.slice(0, 300)}` : 'nothing';
  const end = {
    at: endedAt,
    text: `${id} is answered: ${reply}${faults.length > 0 ? ` (${faults.join('; ')})` : ''}`,
  };
  return [begin, ...commitEvents(work), ...(Number.isFinite(endedAt) ? [end] : [])];
}

function actionEvents(work: ObservedAction): StoryEvent[] {
  const { id, what, organizationId, options, outcome, result, startedAt, endedAt, faults } = work;
  const begin = {
    at: startedAt,
    text: `the administrator of organization ${organizationId} begins ${id}: ${what} ${JSON.stringify(options)}`,
  };
  const said = JSON.stringify(result)?.slice(0, 200) ?? '';
  const end = {
    at: endedAt,
    text: `${id} is ${outcome}: ${said}${faults.length > 0 ? ` (${faults.join('; ')})` : ''}`,
  };
  return [begin, ...commitEvents(work), ...(Number.isFinite(endedAt) ? [end] : [])];
}

/** API keys are hashes here, and too long to be read. */
const commitEvents = (work: ObservedRequest | ObservedAction): StoryEvent[] =>
  commitsOf(work).map(({ at, writes }) => ({
    at,
    text: `    ${work.id} writes ${writes.map(({ pk, sk, after }) => `${after ? '' : 'no more '}${pk.slice(0, 40)} ${sk.slice(0, 30)}`).join(', ')}`,
  }));
