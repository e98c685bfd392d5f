import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventType, eventTypes } from '../../shared/leads/events.ts';

/** The folder of the schema files. `npm run events` writes them, and a test checks that they are current. */
export const schemasFolder = join(import.meta.dirname, 'event-schemas');

interface Property {
  readonly type: 'integer' | 'string' | 'boolean' | 'array';
  readonly description: string;
  readonly format?: string;
  readonly isNullable?: true;
}

const fieldKeys = (description: string): Property => ({ type: 'array', description });

/** What every event has in `detail`. */
const commonProperties: Readonly<Record<string, Property>> = {
  organizationId: { type: 'integer', description: 'The organization.' },
  leadId: { type: 'integer', description: 'The lead.' },
  id: {
    type: 'string',
    description: 'The timeline item, the same however often the event comes: drop repeats by it.',
  },
  at: { type: 'string', format: 'date-time', description: 'The time of the timeline item.' },
  keyId: {
    type: 'string',
    isNullable: true,
    description: 'The API key; null for an administrator.',
  },
  userId: {
    type: 'integer',
    isNullable: true,
    description: 'The user who created the API key; null for an administrator.',
  },
};

const ownProperties: Readonly<Partial<Record<EventType, Readonly<Record<string, Property>>>>> = {
  LeadCaptured: {
    created: { type: 'boolean', description: 'Whether the capture made the lead.' },
    filled: fieldKeys('The keys of the empty fields that the capture filled.'),
    kept: fieldKeys('The keys of the fields that kept another value than the one sent.'),
  },
  LeadUpdated: { changed: fieldKeys('The keys of the changed fields, stage and pipeline.') },
};

const detailOf = (type: EventType) => ({ ...commonProperties, ...ownProperties[type] });

/** The form of a property in JSON Schema, or in OpenAPI 3.0, which spells null differently. */
function propertySchema({ type, isNullable, ...rest }: Property, isOpenApi: boolean): object {
  const items = type === 'array' ? { items: { type: 'string' } } : {};
  if (!isNullable) return { type, ...items, ...rest };
  return isOpenApi ? { type, nullable: true, ...rest } : { type: [type, 'null'], ...rest };
}

function detailSchema(type: EventType, isOpenApi: boolean): object {
  const properties = Object.entries(detailOf(type));
  return {
    type: 'object',
    required: properties.map(([name]) => name),
    properties: Object.fromEntries(
      properties.map(([name, property]) => [name, propertySchema(property, isOpenApi)]),
    ),
  };
}

/** An event as a consumer gets it, in JSON Schema 2020-12. More members may be added. */
export const jsonSchema = (type: EventType): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: type,
  type: 'object',
  required: ['version', 'id', 'source', 'detail-type', 'time', 'detail'],
  properties: {
    version: { const: '0' },
    id: { type: 'string', description: 'Differs each time the event comes.' },
    source: { const: 'lead-service' },
    'detail-type': { const: type },
    time: { type: 'string', format: 'date-time' },
    detail: detailSchema(type, false),
  },
});

/** The same as a schema registry of EventBridge stores it (AWS: EventBridge schemas, OpenAPI 3). */
export const eventBridgeSchema = (type: EventType): object => {
  const text = { type: 'string' };
  const properties = {
    detail: { $ref: `#/components/schemas/${type}` },
    account: text,
    'detail-type': text,
    id: text,
    region: text,
    resources: { type: 'array', items: text },
    source: text,
    time: { type: 'string', format: 'date-time' },
    version: text,
  };
  return {
    openapi: '3.0.0',
    info: { version: '1.0.0', title: type },
    paths: {},
    components: {
      schemas: {
        AWSEvent: {
          type: 'object',
          required: Object.keys(properties),
          'x-amazon-events-detail-type': type,
          'x-amazon-events-source': 'lead-service',
          properties,
        },
        [type]: detailSchema(type, true),
      },
    },
  };
};

/** Every schema file by name, with its text. */
export const schemaFiles = (): ReadonlyMap<string, string> =>
  new Map(
    eventTypes.flatMap((type) => [
      [`${type}.json`, textOf(jsonSchema(type))] as const,
      [`${type}.eventbridge.json`, textOf(eventBridgeSchema(type))] as const,
    ]),
  );

const textOf = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;

if (import.meta.main) {
  await mkdir(schemasFolder, { recursive: true });
  let written = 0;
  for (const [name, text] of schemaFiles()) {
    const file = join(schemasFolder, name);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await writeFile(file, text);
    written += 1;
  }
  console.log(`${written} of ${schemaFiles().size} schema files were written.`);
}
