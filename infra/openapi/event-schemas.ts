import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { type EventType, eventTypes } from '../../shared/leads/events.ts';
import { CliCommand } from '../cli/command.ts';
import { described } from './error-schemas.ts';
import { dateTime } from './response-schemas.ts';

/** `npm run events`: writes the schemas of the events, for their consumers. */

const integer = v.pipe(v.number(), v.integer());
const fieldKeys = (text: string) => described(v.array(v.string()), text);

/** The members that every event has in `detail`. */
const common = {
  organizationId: described(integer, 'The organization.'),
  leadId: described(integer, 'The lead.'),
  id: described(
    v.string(),
    'ID of the timeline item. It stays the same on redelivery: use it to drop duplicates.',
  ),
  at: described(dateTime, 'The time of the timeline item.'),
  keyId: described(v.nullable(v.string()), 'The API key; null for an administrator.'),
  userId: described(
    v.nullable(integer),
    'The user who created the API key; null for an administrator.',
  ),
};

/** Further members of some events. Later releases may add members. */
const own: Readonly<Partial<Record<EventType, v.ObjectEntries>>> = {
  LeadCaptured: {
    created: described(v.boolean(), 'Whether the capture created the lead.'),
    filled: fieldKeys('The keys of the empty fields that the capture filled.'),
    kept: fieldKeys(
      'The keys of the fields that kept their existing value instead of the submitted one.',
    ),
  },
  LeadUpdated: { changed: fieldKeys('The keys of the changed fields, stage and pipeline.') },
};

/** The JSON Schema (2020-12) of an event as consumers receive it. */
export function jsonSchema(type: EventType): object {
  const event = v.object({
    version: v.literal('0'),
    id: described(v.string(), 'New on every delivery.'),
    source: v.literal('lead-service'),
    'detail-type': v.literal(type),
    time: dateTime,
    detail: v.object({ ...common, ...own[type] }),
  });
  return { title: type, ...toJsonSchema(event, { target: 'draft-2020-12' }) };
}

if (import.meta.main) {
  const { out } = new CliCommand('npm run events --')
    .description('write the JSON Schema of each event')
    .requiredOption('--out <FOLDER>', 'the folder, which is created if it is missing')
    .parse()
    .opts<{ out: string }>();
  await mkdir(out, { recursive: true });
  for (const type of eventTypes)
    await writeFile(join(out, `${type}.json`), `${JSON.stringify(jsonSchema(type), null, 2)}\n`);
  console.log(`Wrote ${eventTypes.length} schemas to ${out}.`);
}
