import { setTimeout as pause } from 'node:timers/promises';
import type { CallReply } from '../../support/call.ts';
import { type Claim, together, verdictOf } from './notebook.ts';
import { type Command, pick, type Turn, type WeightedCommands } from './turn.ts';
import { ask, type HeldKey } from './world.ts';

const attemptsMax = 4;
const pauseMaxMs = 60;

const chance = (random: () => number, share: number): boolean => random() < share;

/** Whether a client asks again: nobody said what became of it, or it was told to. */
const isOpen = (answer: CallReply | undefined): boolean =>
  verdictOf(answer?.status) === 'unknown' ||
  answer?.body?.error?.code === 'IDEMPOTENCY_IN_PROGRESS';

/**
 * Asks until there is an answer to keep, as a client would; what is still open then is asked once more when all is well.
 * @param attempt sends the request for the nth time; under faults or `settling` without
 */
async function untilAnswered(
  { world, random }: Turn,
  attempt: (n: number) => Promise<CallReply | undefined>,
): Promise<void> {
  const waits = Array.from({ length: attemptsMax }, () => random() * pauseMaxMs);
  for (const [n, wait] of waits.entries()) {
    if (!isOpen(await attempt(n))) {
      world.notebook.settled += n > 0 ? 1 : 0;
      return;
    }
    await pause(wait);
  }
  world.notebook.unsettled.push(async () => {
    const answer = await attempt(attemptsMax);
    if (!isOpen(answer)) world.notebook.settled += 1;
    else
      world.notebook.violations.push(
        `Asked again without faults, and answered ${answer?.status ?? 'nothing'}.`,
      );
  });
}

function noted(
  claim: Claim,
  answer: CallReply | undefined,
  leadIdOf: (body: CallReply['body']) => number,
): CallReply | undefined {
  claim.verdict = together(claim.verdict, verdictOf(answer?.status));
  if (answer && answer.status < 300) claim.leadId = leadIdOf(answer.body);
  return answer;
}

/** The key that is in use, seldom one that was retired. */
const keyFor = ({ world: { keys }, random }: Turn, kind: 'website' | 'writer'): HeldKey => {
  const isRetired = chance(random, 0.03);
  const retired = pick(random, keys.retired);
  return isRetired && retired ? retired : keys[kind];
};

/** Sends with the field `wave`; while it did not change, it is accepted exactly when it is active. */
async function askWithWave(
  { world }: Turn,
  hasWave: boolean,
  send: (expected: readonly number[]) => Promise<CallReply | undefined>,
): Promise<CallReply | undefined> {
  const { wave, notebook } = world;
  if (!hasWave) return send([]);
  const before = { ...wave };
  const answer = await send([422]);
  const isSure = !before.isChanging && before.epoch === wave.epoch && !wave.isChanging;
  if (
    isSure &&
    answer &&
    (answer.status === 422) === before.isActive &&
    verdictOf(answer.status) !== 'unknown'
  ) {
    const known = answer.status === 401 || answer.status === 409;
    if (!known)
      notebook.violations.push(
        `The field wave, ${before.isActive ? '' : 'in'}active, was answered ${answer.status}.`,
      );
  }
  return answer;
}

interface CaptureDraft {
  readonly body: Readonly<Record<string, unknown>>;
  readonly submitted: Claim['submitted'];
  readonly hasWave: boolean;
}

function draftCapture({ world, random }: Turn, marker: string): CaptureDraft {
  const person = pick(random, world.people);
  const other = pick(random, world.people);
  const email = pick(random, [person.email, person.email, undefined, other.email]);
  const hasWave = chance(random, 0.15);
  const fields = {
    ...(chance(random, 0.3) && { city: `captured ${marker}` }),
    ...(hasWave && { wave: marker }),
  };
  const { name, phone } = person;
  return {
    body: { name, phone, ...(email && { email }), notes: marker, fields },
    submitted: { name, phone, email: email ?? null, ...fields },
    hasWave,
  };
}

/** Without an idempotency key each attempt is an enquiry of its own. */
const capture: Command = async (turn) => {
  const apiKey = keyFor(turn, 'website');
  const { body, submitted, hasWave } = draftCapture(turn, turn.name);
  await untilAnswered(turn, async (n) => {
    const marker = `${turn.name}.${n}`;
    const claim = turn.world.notebook.claim('capture', marker, submitted);
    const send = (more: readonly number[]) =>
      ask(turn.world, 'capture-lead', apiKey, { body: { ...body, notes: marker } }, [
        200,
        201,
        409,
        ...more,
      ]);
    return noted(claim, await askWithWave(turn, hasWave, send), captured(turn));
  });
};

const captured =
  ({ world }: Turn) =>
  (body: CallReply['body']): number => {
    if (body.lead.created) world.notebook.made(body.lead.id);
    return body.lead.id;
  };

/** All attempts are the same request: one effect in all, and one answer, marked as a replay after the first. */
const captureOnce: Command = async (turn) => {
  const { world, name, random } = turn;
  const { notebook } = world;
  const apiKey = keyFor(turn, 'website');
  const { body, submitted, hasWave } = draftCapture(turn, name);
  const under = pick(random, ['header', 'externalId', 'both']);
  const isDoubled = chance(random, 0.3);
  const isRepeated = chance(random, 0.3);
  const isReused = chance(random, 0.3);
  const claim = notebook.claim('capture', name, submitted);
  const results = new Set<string>();
  let originals = 0;

  const sendBody = (sent: object) => (more: readonly number[]) =>
    ask(
      world,
      'capture-lead',
      apiKey,
      {
        body: { ...sent, ...(under !== 'header' && { externalId: name }) },
        headers: under === 'externalId' ? {} : { 'Idempotency-Key': name },
      },
      [200, 201, 409, ...more],
    );
  const attempt = async (): Promise<CallReply | undefined> => {
    // What is remembered is replayed, whatever became of the field since.
    const isFirst = claim.verdict === 'refused' && !isDoubled;
    const send = isFirst
      ? askWithWave(turn, hasWave, sendBody(body))
      : sendBody(body)(hasWave ? [422] : []);
    const answer = noted(claim, await send, captured(turn));
    if (!answer || answer.status >= 300) return answer;
    results.add(JSON.stringify(answer.body.lead));
    if (answer.headers.get('idempotent-replayed') !== 'true') originals += 1;
    return answer;
  };
  await untilAnswered(turn, async (n) => {
    const [answer] = await Promise.all([attempt(), ...(isDoubled && n === 0 ? [attempt()] : [])]);
    return answer;
  });
  if (isRepeated && claim.verdict === 'done') await attempt();
  if (results.size > 1)
    notebook.violations.push(
      `Capture ${name} was answered in ${results.size} ways: ${[...results].join(' ')}.`,
    );
  if (originals > 1)
    notebook.violations.push(
      `Capture ${name} was answered ${originals} times as if it were the first.`,
    );

  if (isReused && claim.verdict === 'done') {
    const reuse = notebook.claim('capture', `${name}.reused`, submitted);
    const answer = await sendBody({ ...body, notes: reuse.marker })([422]);
    noted(reuse, answer, captured(turn));
    if (answer && answer.status < 300)
      notebook.violations.push(`Capture ${name}: its key served a different body.`);
  }
};

const create: Command = async (turn) => {
  const { world, random } = turn;
  const apiKey = keyFor(turn, 'writer');
  const isContested = chance(random, 0.6);
  const digits = String(Math.floor(random() * 100_000_000)).padStart(8, '0');
  const { name, phone, email } = isContested
    ? pick(random, world.people)
    : { name: `Own ${digits}`, phone: `+9197${digits}`, email: `own${digits}@example.com` };
  const hasWave = chance(random, 0.15);
  const submitted = { name, phone, email, ...(hasWave && { wave: turn.name }) };
  await untilAnswered(turn, async (n) => {
    const marker = `${turn.name}.${n}`;
    const claim = world.notebook.claim('create', marker, submitted);
    const send = (more: readonly number[]) =>
      ask(world, 'create-lead', apiKey, { body: { fields: { ...submitted, remarks: marker } } }, [
        201,
        409,
        ...more,
      ]);
    return noted(claim, await askWithWave(turn, hasWave, send), ({ lead }) => {
      world.notebook.made(lead.id);
      world.notebook.saw(lead.id, lead.updatedAt);
      return lead.id;
    });
  });
};

const update: Command = async (turn) => {
  const { world, random } = turn;
  const apiKey = keyFor(turn, 'writer');
  const leadId = pick(random, world.notebook.leadIds);
  const person = pick(random, world.people);
  const changes = pick<object>(random, [
    {},
    {},
    { email: null },
    { email: person.email },
    { phone: person.phone, email: person.email },
  ]);
  const place = pick<object>(random, [{}, {}, { stageId: 12 }, { stageId: 21 }, { pipelineId: 1 }]);
  if (leadId === undefined) return;
  await untilAnswered(turn, async (n) => {
    const marker = `${turn.name}.${n}`;
    const claim = world.notebook.claim('update', marker);
    const body = { fields: { ...changes, city: marker }, ...place };
    return noted(
      claim,
      await ask(world, 'update-lead', apiKey, { leadId, body }, [200, 409]),
      ({ lead }) => {
        world.notebook.saw(lead.id, lead.updatedAt);
        if (lead.fields.city !== marker)
          world.notebook.violations.push(`Update ${marker} was answered with another's city.`);
        return lead.id;
      },
    );
  });
};

const note: Command = async (turn) => {
  const { world, random } = turn;
  const apiKey = keyFor(turn, 'writer');
  const leadId = pick(random, world.notebook.leadIds);
  if (leadId === undefined) return;
  await untilAnswered(turn, async (n) => {
    const text = `${turn.name}.${n}`;
    const claim = world.notebook.claim('note', text);
    return noted(
      claim,
      await ask(world, 'add-note', apiKey, { leadId, body: { text } }, [201]),
      (body) => body.note.leadId,
    );
  });
};

export const writerCommands: WeightedCommands = [
  [6, capture],
  [8, captureOnce],
  [4, create],
  [8, update],
  [5, note],
];
