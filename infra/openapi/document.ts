import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type EndpointName, endpoints } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';
import type { Schemas } from '../../shared/middleware/validate.ts';
import { introduction, type OperationDescription, operationDescriptions, tags } from './descriptions.ts';
import { examples } from './examples.ts';
import { filterComponents, filterParameter } from './filter-parameter.ts';
import { entriesOf, isOptional, type Json, jsonSchemaOf, namedJsonSchemas, parameterSchema } from './json-schema.ts';
import { headerComponents } from './response-headers.ts';
import { jsonContent, responseComponents, responsesOf } from './responses.ts';

/** Where the document lies. `npm run openapi` writes it; a test holds it to what `openApiText` says. */
export const openApiFile = resolve(import.meta.dirname, '..', '..', 'openapi.json');

type Row = (typeof endpoints)[number];

/** The document as it stands in the file. @throws Error for an endpoint, parameter or property without a sentence, or a sentence for nothing */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await openApiDocument(), null, 2)}\n`;
}

/** The OpenAPI 3.1 document: the endpoint table, the functions' own schemas, and the answers of the contract. */
export async function openApiDocument(): Promise<Json> {
  const operations = await Promise.all(
    endpoints.map(async (row) => ({ row, operation: operationOf(row, await schemasOf(row.name)) })),
  );
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ({ row }) => row.path)].map(([path, of]) => [
      path,
      Object.fromEntries(of.map(({ row, operation }) => [row.method.toLowerCase(), operation])),
    ]),
  );
  const responses = responseComponents();
  const referring = JSON.stringify([paths, responses]);
  return {
    openapi: '3.1.0',
    info: { title: 'Lead management service', version: '1.0.0', description: introduction },
    servers: [
      {
        url: '{baseUrl}',
        description: 'The service',
        variables: {
          baseUrl: {
            default: 'http://127.0.0.1:4010',
            description: 'The base address of a deployed service; by default that of `npm start`.',
          },
        },
      },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An organization API key. Each operation names the scopes of which one is needed.',
        },
      },
      schemas: { ...namedJsonSchemas(), ...filterComponents },
      responses,
      headers: headerComponents((reference) => referring.includes(`"${reference}"`)),
    },
  };
}

/** What a function exports beside its handler. */
async function schemasOf(name: EndpointName): Promise<Schemas> {
  return (await import(`../../functions/${name}.ts`)) as Schemas;
}

function operationOf({ name, summary, scopes, takesBody }: Row, schemas: Schemas): Json {
  const text: OperationDescription = operationDescriptions[name];
  const parameters = parametersOf(schemas, text);
  if (takesBody !== (schemas.body !== undefined))
    throw new Error(`${name}: takesBody and the function's exported body disagree.`);
  return {
    operationId: name,
    summary,
    description: `${text.description}\n\nScope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    tags: [text.tag],
    security: scopes.map((scope) => ({ apiKey: [scope] })),
    ...(parameters.length > 0 && { parameters }),
    ...(schemas.body && {
      requestBody: {
        required: true,
        content: jsonContent(withTexts(jsonSchemaOf(schemas.body), text.body ?? {}), examples[name].request),
      },
    }),
    responses: responsesOf(name),
  };
}

const defaults: Readonly<Record<string, unknown>> = { limit: limits.pageSizeDefault };

function parametersOf({ path, query, headers }: Schemas, { parameters: texts = {} }: OperationDescription): Json[] {
  const of = (place: string, schema: Schemas['path']): Json[] =>
    Object.entries(entriesOf(schema)).map(([entry, one]) => {
      // Header names are schema keys in lower case; the sentence's key has the name as people write it.
      const name = Object.keys(texts).find((written) => written.toLowerCase() === entry) ?? entry;
      const start = { name, in: place, required: !isOptional(one) };
      if (name === 'filter') return { ...start, ...filterParameter };
      const value = parameterSchema(one);
      return {
        ...start,
        description: sentenceFor(texts, name),
        schema: name in defaults ? { ...value, default: defaults[name] } : value,
      };
    });
  const all = [...of('path', path), ...of('query', query), ...of('header', headers)];
  refuseSentencesForNothing(
    texts,
    all.map(({ name }) => String(name)),
  );
  return all;
}

/** The body's schema with the sentence of each property, those of an object inside it too. */
function withTexts(body: Json, texts: Readonly<Record<string, string>>): Json {
  const named: string[] = [];
  const describe = (schema: Json, prefix: string): Json => {
    const properties = Object.entries(schema.properties as Record<string, Json>).map(([key, property]) => {
      const name = prefix + key;
      named.push(name);
      const inner = 'properties' in property ? describe(property, `${name}.`) : property;
      return [key, { description: sentenceFor(texts, name), ...inner }];
    });
    return { ...schema, properties: Object.fromEntries(properties) };
  };
  const described = describe(body, '');
  refuseSentencesForNothing(texts, named);
  return described;
}

function sentenceFor(texts: Readonly<Record<string, string>>, name: string): string {
  const sentence = texts[name];
  if (sentence === undefined) throw new Error(`infra/openapi/descriptions.ts has no sentence for ${name}.`);
  return sentence;
}

function refuseSentencesForNothing(texts: Readonly<Record<string, string>>, names: readonly string[]): void {
  const unknown = Object.keys(texts).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`infra/openapi/descriptions.ts has a sentence for ${unknown.join(', ')}, which no schema has.`);
}

if (import.meta.main) {
  const text = await openApiText();
  const before = await readFile(openApiFile, 'utf8').catch(() => undefined);
  if (text !== before) await writeFile(openApiFile, text);
  console.log(text === before ? 'openapi.json is current.' : 'openapi.json is written.');
}
