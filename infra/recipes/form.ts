/** The server side of form.html, for the recipes in TypeScript: copy it beside them. */
import type { CaptureRequest } from 'lead-service-client';
import type { Outbox, OutboxEntry, OutboxStore } from 'lead-service-client/outbox';

/** Your country's code, put before a number that begins with one 0. */
const country = '+91';
/** The source of this website's leads, such as 'MBA site', unless the form has an input `source`. Without one it is Website. */
const source = '';
const sourceMaxChars = 60;
/** What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked. */
const sentences: Readonly<Record<string, string>> = {
  name: 'Please enter your name, in at most 200 characters.',
  phone: `Please check your phone number. Begin with the country code, such as ${country}.`,
  'phone.required': 'Please enter your phone number.',
};
const thanks = 'Thank you. We will call you.';

/** What the browser shows beside the form, as text. */
export interface Answer {
  readonly status: 200 | 422;
  readonly text: string;
}

/** Takes a post of form.html: stores the enquiry, then sends it while the visitor waits. */
export async function takeForm(outbox: Outbox, body: string): Promise<Answer> {
  const sent = [...new URLSearchParams(body)].filter(([, value]) => value !== ''); // an empty input is no value
  const { view = '', leave_empty: trap, ...post } = Object.fromEntries(sent);
  if (trap !== undefined) return { status: 200, text: thanks }; // no person sees that input: a robot
  const enquiry = enquiryIn(post);
  const wrong = problemsOf(enquiry);
  if (Object.keys(wrong).length > 0) return answerTo(wrong);
  const key = await outbox.add(enquiry, { formView: view });
  const refused = (await outbox.deliver(key))?.refused ?? {};
  const answer = answerTo(refused);
  if (answer.status === 422) await outbox.discard(key); // the visitor is told, and corrects it
  return answer;
}

function enquiryIn(post: Readonly<Record<string, string>>): CaptureRequest {
  const {
    name = '',
    phone = '',
    email,
    source: input = '',
    notes,
    pageUrl,
    referrer,
    ...others
  } = post;
  const {
    utm_source: utmSource,
    utm_medium: utmMedium,
    utm_campaign: utmCampaign,
    utm_term: utmTerm,
    utm_content: utmContent,
    ...fields
  } = others;
  const utm = { utmSource, utmMedium, utmCampaign, utmTerm, utmContent };
  return {
    name,
    phone: phone.replace(/^\s*\(?0(?!0)/, country),
    email,
    source: [...(input.trim() || source)].slice(0, sourceMaxChars).join('') || undefined,
    notes,
    fields,
    attribution: { pageUrl, referrer, ...utm },
  };
}

/** The reasons, by field, for which the visitor has to correct the enquiry; found without the service. */
function problemsOf({ name, phone }: CaptureRequest): Record<string, string> {
  const isNamed = name.trim() !== '' && [...name].length <= 200;
  const hasCode = country === '+91' || /^\D*(\+|00)/.test(phone); // without one, the service reads an Indian number
  const isPhone = hasCode && /^\s*(?=(\P{Nd}*\p{Nd}){6}).{6,32}$/u.test(phone);
  const why = phone.trim() === '' ? 'required' : 'invalid';
  return { ...(!isNamed && { name: 'invalid' }), ...(!isPhone && { phone: why }) };
}

function answerTo(reasons: Readonly<Record<string, string>>): Answer {
  const shown = Object.entries(reasons).flatMap(
    ([field, reason]) => sentences[`${field}.${reason}`] ?? sentences[field] ?? [],
  );
  return shown.length > 0 ? { status: 422, text: shown.join('\n') } : { status: 200, text: thanks };
}

const hourMs = 3_600_000;
/** The latest inputs that match no field, and when an enquiry had one. */
const unmatched = new Map<string, number>();

/** For the outbox's `onDelivered`: logs the inputs of an enquiry that match no field, and keeps them for the reports of an hour. */
export function noteInputs({ removedReasons = {} }: OutboxEntry): void {
  for (const [name, reason] of Object.entries(removedReasons)) {
    if (reason !== 'unknown_field' && reason !== 'not_accepted') continue;
    console.error(unmatchedLine(name));
    unmatched.delete(name); // the last entry is the latest
    unmatched.set(name, Date.now());
  }
  for (const name of [...unmatched.keys()].slice(0, -5)) unmatched.delete(name);
}

function unmatchedLine(name: string): string {
  const printable = name.replace(/\p{C}/gu, ' '); // a robot can post any name
  return `${printable} is not a field that a form can fill: correct the form, or add the field.`;
}

/**
 * Answers cron, which sends the secret as a bearer token: sends what is due, and the refused enquiries that `?again=KEY` names. The status is 503
 * while `report` has a line, so that `curl --fail-with-body` fails.
 */
export async function answerCron(
  request: Request,
  { outbox, store, secret }: { outbox: Outbox; store: OutboxStore; secret: string | undefined },
): Promise<Response> {
  if (!secret || request.headers.get('Authorization') !== `Bearer ${secret}`)
    return new Response(null, { status: 401 });
  for (const key of new URL(request.url).searchParams.getAll('again')) await outbox.sendAgain(key);
  await outbox.sendDue();
  const text = report(await store.list());
  return new Response(`${text}\n`, { status: text === '' ? 200 : 503 });
}

/** Such as "3 enquiries waiting since 15:14: …", what needs a person, and inputs that match no field; empty if there is nothing to do. */
export function report(entries: readonly OutboxEntry[]): string {
  const waiting = entries.filter(({ state, lastError }) => state === 'waiting' && lastError);
  const refused = entries.filter(({ state }) => state !== 'waiting');
  const recent = [...unmatched].filter(([, at]) => at > Date.now() - hourMs);
  const lines = [line('waiting', waiting), line('awaiting review', refused)];
  const inputs = recent.map(([name]) => unmatchedLine(name));
  return [...lines.filter((one) => one !== undefined), ...inputs].join('\n');
}

function line(state: string, [first, ...others]: readonly OutboxEntry[]): string | undefined {
  if (!first) return undefined;
  const what = others.length === 0 ? '1 enquiry' : `${others.length + 1} enquiries`;
  const [since = ''] = [first, ...others].map(({ addedAt }) => addedAt).sort();
  const reasons = Object.entries(first.refused).map(([field, reason]) => `${field}: ${reason}`);
  const why = [first.lastError ?? 'not sent in time', ...reasons].join(', ');
  return `${what} ${state} since ${since.slice(0, 16)}Z: ${why} (key ${first.key})`;
}
