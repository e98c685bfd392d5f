import { commitsOf } from '../checker/effects.ts';
import type { History, ObservedAction, ObservedRequest } from '../checker/history.ts';

/** What happened in a history, a line for each request, command, fault and commit, in the order of time. */
export function storyOf({ requests, actions }: Pick<History, 'requests' | 'actions'>): string {
  const all = [
    ...requests.filter(({ client }) => client !== 'the checker'),
    ...actions.filter(({ what }) => what !== 'check'),
  ];
  const from = Math.min(...all.map(({ startedAt }) => startedAt));
  const events = all.flatMap((work) => [
    { at: work.startedAt, text: beginOf(work) },
    ...commitEvents(work),
    ...(Number.isFinite(work.endedAt) ? [{ at: work.endedAt, text: endOf(work) }] : []),
  ]);
  return events
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => `${(at - from).toFixed(1).padStart(10)} ms  ${text}`)
    .join('\n');
}

type Observed = ObservedRequest | ObservedAction;

function beginOf(work: Observed): string {
  const { id, what, organizationId } = work;
  if (work.kind === 'action')
    return `the administrator of organization ${organizationId} begins ${id}: ${what} ${JSON.stringify(work.options)}`;
  const { leadId, query, body, headers = {} } = work.request;
  const sent = [
    leadId && `lead ${leadId}`,
    query && JSON.stringify(query),
    Object.keys(headers).length > 0 && JSON.stringify(headers),
    body && JSON.stringify(body),
  ];
  return `${work.client} sends ${id}: ${what} ${sent.filter(Boolean).join(' ')} with key ${work.apiKey.keyId} of organization ${organizationId}`;
}

function endOf(work: Observed): string {
  const { id, faults } = work;
  const said =
    work.kind === 'action'
      ? `${work.outcome}: ${JSON.stringify(work.result)?.slice(0, 200) ?? ''}`
      : `answered: ${work.answer ? `${work.answer.status} ${work.answer.body.slice(0, 300)}` : 'nothing'}`;
  return `${id} is ${said}${faults.length > 0 ? ` (${faults.join('; ')})` : ''}`;
}

/** API keys are hashes here, and too long to be read. */
const commitEvents = (work: Observed) =>
  commitsOf(work).map(({ at, writes }) => ({
    at,
    text: `    ${work.id} writes ${writes.map(({ pk, sk, after }) => `${after ? '' : 'no more '}${pk.slice(0, 40)} ${sk.slice(0, 30)}`).join(', ')}`,
  }));
