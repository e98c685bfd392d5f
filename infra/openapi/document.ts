import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EndpointName, endpoints } from '../../shared/contract/endpoints.ts';
import { limits } from '../../shared/contract/limits.ts';
import type { Schemas } from '../../shared/middleware/input.ts';
import { projectFolder } from '../bundle/built-functions.ts';
import { CliCommand } from '../cli/command.ts';
import type { OperationDescription, Parameters, Sentences } from './endpoint-description.ts';
import { endpointDescriptions } from './endpoint-descriptions.ts';
import { errorComponents } from './error-schemas.ts';
import { filterComponents, filterParameter } from './filter-parameter.ts';
import { introduction, localBaseUrl, tags } from './introduction.ts';
import {
  entriesOf,
  isOptional,
  type Json,
  jsonSchemaOf,
  namedJsonSchemas,
  parameterSchema,
} from './json-schema.ts';
import { responseHeaders } from './response-headers.ts';
import { jsonContent, responseComponents, responsesOf } from './responses.ts';

/** The document's file. `npm run openapi` writes it, and a test checks that it is current. */
export const openApiFile = join(projectFolder, 'openapi.json');

type Row = (typeof endpoints)[number];

/** The document as text. @throws Error if a parameter or property has no sentence or no example */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await openApiDocument(), null, 2)}\n`;
}

const servers = [
  {
    // Tools that import the document already have a variable `baseUrl`.
    url: '{address}',
    description:
      'The service: `address` is the base address of a deployed service, by default the address of `npm start`.',
    variables: { address: { default: localBaseUrl } },
  },
];

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of an organization. It needs one of the scopes that the operation names.',
  },
};

/** The OpenAPI 3.1 document, built from the endpoints' rows and descriptions and the functions' schemas. */
export async function openApiDocument(): Promise<Json> {
  const rows = await Promise.all(
    endpoints.map(async (row) => ({ row, schemas: await schemasOf(row.name) })),
  );
  const byPath = [...Map.groupBy(rows, ({ row }) => row.path)];
  const paths = byPath.map(([path, ofPath]) => [
    path,
    Object.fromEntries(
      ofPath.map(({ row, schemas }) => [row.method.toLowerCase(), operationOf(row, schemas)]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lead management service',
      version: '1.0.0',
      description: introduction,
      contact: { name: 'The operator of your deployment' },
    },
    servers,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes,
      schemas: {
        ...Object.fromEntries(rows.flatMap(({ row, schemas }) => bodyOf(row.name, schemas))),
        ...namedJsonSchemas(),
        ...errorComponents(),
        ...filterComponents,
      },
      responses: responseComponents(),
      headers: responseHeaders,
    },
  };
}

/** The schemas that a function exports besides its handler. */
const schemasOf = (name: EndpointName): Promise<Schemas> =>
  import(`../../functions/${name}/handler.ts`);

function operationOf(row: Row, schemas: Schemas): Json {
  const { name, scopes } = row;
  const text = endpointDescriptions[name];
  const parameters = parametersOf(schemas, text);
  return {
    operationId: name,
    summary: text.summary,
    description: `${text.description}

Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.

\`\`\`sh
${curlSample(row, Object.values(text.requests ?? {})[0])}
\`\`\``,
    tags: [text.tag],
    // OpenAPI 3.1 allows scopes in this list, but older tools refuse them, because they take them for scopes of an OAuth flow.
    security: [{ apiKey: [] }],
    'x-scopes': scopes,
    ...(parameters.length > 0 && { parameters }),
    ...(schemas.body && {
      requestBody: {
        required: true,
        content: jsonContent({ $ref: `#/components/schemas/${text.bodyName}` }, text.requests),
      },
    }),
    responses: responsesOf(name),
  };
}

/** So that no line of a sample has more than 90 characters. */
const bodyLineMaxChars = 80;

/** A command that runs when pasted, once `API_KEY` is set: it sends the operation's first example, for the organization's first lead. */
function curlSample({ method, path }: Row, body: unknown): string {
  const isLong = JSON.stringify(body ?? null).length > bodyLineMaxChars;
  const text = JSON.stringify(body, null, isLong ? 2 : 0)?.replaceAll("'", "'\\''");
  return [
    `curl -i ${method === 'PATCH' ? '-X PATCH ' : ''}${localBaseUrl}${path.replace('{leadId}', '1')}`,
    '  -H "Authorization: Bearer $API_KEY"',
    ...(text === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d '${text}'`]),
  ].join(' \\\n');
}

/** The schema of an endpoint's body under its name; nothing for an endpoint without a body. */
function bodyOf(name: EndpointName, { body }: Schemas): [string, Json][] {
  const { bodyName, body: texts = {}, requests, requiredFields } = endpointDescriptions[name];
  if (!body || !bodyName) return [];
  const examples = Object.values(requests ?? {});
  const schema = withTexts(jsonSchemaOf(body), texts, examples);
  const { fields } = schema.properties;
  if (requiredFields && fields) {
    fields.properties = Object.fromEntries(requiredFields.map((key) => [key, { type: 'string' }]));
    fields.required = requiredFields;
  }
  return [[bodyName, schema]];
}

const defaults: Readonly<Record<string, unknown>> = { limit: limits.pageSizeDefault };
const leadId = ["The lead's ID. An ID that is not a lead's returns 404.", 1] as const;

function parametersOf(
  { path, query, headers }: Schemas,
  { parameters = {} }: OperationDescription,
): Json[] {
  const texts: Parameters = { leadId, ...parameters };
  const of = (place: string, schema: Schemas['path']): Json[] =>
    Object.entries(entriesOf(schema)).map(([entry, one]) => {
      // A schema has header names in lower case; a sentence has the usual spelling.
      const name = Object.keys(texts).find((written) => written.toLowerCase() === entry) ?? entry;
      const start = { name, in: place, required: !isOptional(one) };
      if (name === 'filter') return { ...start, ...filterParameter };
      const value = parameterSchema(one);
      const [description, example] = described(texts[name], name);
      const schema = name in defaults ? { ...value, default: defaults[name] } : value;
      return { ...start, description, schema, example };
    });
  return [...of('path', path), ...of('query', query), ...of('header', headers)];
}

type Properties = Record<string, Json>;

/** The body's schema with the sentence and an example of each property, nested properties included. */
function withTexts(
  body: Json,
  texts: Sentences,
  examples: readonly unknown[],
  prefix = '',
): Json & { readonly properties: Properties } {
  const withOwn = Object.entries(body.properties as Properties).map(([key, property]) => {
    const name = prefix + key;
    const values = examples.flatMap((one) => (one as Json)[key] ?? []);
    const inner =
      'properties' in property ? withTexts(property, texts, values, `${name}.`) : property;
    const [example] = described(values.length > 0 ? values : undefined, name);
    return [key, { description: described(texts[name], name), ...inner, examples: [example] }];
  });
  return { ...body, properties: Object.fromEntries(withOwn) };
}

function described<T>(found: T | undefined, name: string): T {
  if (found !== undefined) return found;
  throw new Error(
    `The description of an endpoint (functions/NAME/description.ts) has no sentence or no example for ${name}.`,
  );
}

if (import.meta.main) {
  new CliCommand('npm run openapi --').description('write openapi.json').parse();
  const text = await openApiText();
  const isCurrent = (await readFile(openApiFile, 'utf8')) === text;
  if (!isCurrent) await writeFile(openApiFile, text);
  console.log(`openapi.json ${isCurrent ? 'is current' : 'was written'}.`);
}
