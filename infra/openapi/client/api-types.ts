import { type EndpointName, endpoints } from '../../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../../shared/errors.ts';
import { openApiDocument } from '../document.ts';
import { errorsOf } from '../endpoint-errors.ts';
import { errorDetails } from '../error-schemas.ts';
import type { Json } from '../json-schema.ts';
import { comment, type Side, typeText } from './type-text.ts';

/**
 * The client's types, made from the same endpoints and schemas as `openapi.json`: the client cannot differ from the service.
 * The texts are not formatted yet.
 */

const head = '// Made by `npm run openapi` from the endpoints and their schemas: change those.\n\n';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly name: EndpointName;
  readonly query: readonly Json[];
  readonly body: Json | undefined;
  /** Of every successful status: they have the same. */
  readonly response: Json;
}

/** The generated files by name. */
export async function apiTypeFiles(): Promise<Readonly<Record<string, string>>> {
  const document = await openApiDocument();
  const operations = endpoints.map((row) => operationOf(document, row));
  const { schemas } = document.components as { schemas: Record<string, Json> };
  return {
    'api-types.ts': head + typesText(schemas, operations),
    'api-errors.ts': head + errorsText(schemas),
    'api-operations.ts': head + operationsText(schemas, operations),
  };
}

type Row = (typeof endpoints)[number];

function operationOf(document: Json, { name, method, path }: Row): Operation {
  const paths = document.paths as Record<string, Record<string, Json>>;
  const described = paths[path]?.[method.toLowerCase()] as {
    parameters?: Json[];
    requestBody?: Json;
    responses: Record<string, Json>;
  };
  const successes = Object.entries(described.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => schemaIn(response));
  const [response = {}] = successes;
  if (successes.some((one) => JSON.stringify(one) !== JSON.stringify(response)))
    throw new Error(`${name}: the client expects the same body with every successful status.`);
  return {
    name,
    method,
    path,
    query: (described.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: described.requestBody && schemaIn(described.requestBody),
    response,
  };
}

const schemaIn = ({ content }: Json): Json =>
  (content as { 'application/json': { schema: Json } })['application/json'].schema;

/** A query parameter's value: what is JSON inside the query string is a value to the caller. */
function parameterSchema(parameter: Json): Json {
  const schema = (parameter.schema ?? schemaIn(parameter)) as Json;
  return (schema.contentSchema ?? schema) as Json;
}

/** The named schemas that a schema refers to, directly or not. */
function namesIn(schemas: Record<string, Json>, root: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name]);
    }
  };
  visit(root);
  return found;
}

function typesText(schemas: Record<string, Json>, operations: readonly Operation[]): string {
  const requested = namesIn(schemas, [
    operations.flatMap(({ body, query }) => [body ?? {}, ...query.map(parameterSchema)]),
  ]);
  const returned = namesIn(
    schemas,
    operations.map(({ response }) => response),
  );
  const declarations = Object.entries(schemas)
    .filter(([name]) => requested.has(name) || returned.has(name))
    .map(([name, schema]) =>
      declaration(name, schema, requested.has(name) ? 'request' : 'response'),
    );
  return declarations.join('\n');
}

function declaration(name: string, schema: Json, side: Side): string {
  const text = typeText(schema, side);
  const isInterface = schema.type === 'object' && schema.properties !== undefined;
  const start = `${comment(schema)}export`;
  return isInterface
    ? `${start} interface ${name} ${text}\n`
    : `${start} type ${name} = ${text};\n`;
}

function errorsText(schemas: Record<string, Json>): string {
  const codes = Object.keys(apiErrors) as ErrorCode[];
  const details = codes.flatMap((code) => errorDetails[code]?.schema ?? []);
  const parts = namesIn(
    schemas,
    details.map((name) => schemas[name]),
  );
  const declarations = [...details, ...parts].map((name) =>
    declaration(name, schemas[name] ?? {}, 'response'),
  );
  const rows = codes.map((code) => {
    const found = errorDetails[code];
    const type = found ? `${found.schema}${found.always ? '' : ' | undefined'}` : 'undefined';
    return `/** Status ${apiErrors[code].status}. ${apiErrors[code].sentence} */\n${code}: ${type};\n`;
  });
  return [
    ...declarations,
    `/** The \`details\` of each error code. */\nexport interface ApiErrors {\n${rows.join('')}}\n`,
    'export type ErrorCode = keyof ApiErrors;\n',
  ].join('\n');
}

function operationsText(schemas: Record<string, Json>, operations: readonly Operation[]): string {
  const common = operations
    .map(({ name }) => errorsOf(name))
    .reduce((some, codes) => some.filter((code) => codes.includes(code)));
  const rows = operations.map(({ name, query, body, response }) => {
    const parameters = {
      type: 'object',
      properties: Object.fromEntries(
        query.map((one) => [one.name, { ...parameterSchema(one), description: firstLine(one) }]),
      ),
    };
    const codes = errorsOf(name).filter((code) => !common.includes(code));
    return `${quoted(name)}: {
      query: ${query.length > 0 ? typeText(parameters, 'request') : 'undefined'};
      body: ${body ? typeText(body, 'request') : 'undefined'};
      response: ${typeText(response, 'response')};
      errors: ${['CommonError', ...codes.map(quoted)].join(' | ')};
    };\n`;
  });
  const routes = operations.map(
    ({ name, method, path }) => `${quoted(name)}: { method: '${method}', path: '${path}' },\n`,
  );
  const text = rows.join('');
  const names = [...namesIn(schemas, operations)].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(text),
  );
  return `import type { ${names.sort().join(', ')} } from './api-types.ts';\n
/** The errors of every endpoint. */
export type CommonError = ${common.map(quoted).join(' | ')};

/** What each endpoint takes and returns, and the errors that it can answer with. */
export interface Operations {\n${text}}\n
export type OperationName = keyof Operations;\n
/** The address of each endpoint below the base address. */
export const routes = {\n${routes.join('')}} as const satisfies Record<OperationName, object>;\n`;
}

const quoted = (text: string): string => `'${text}'`;

const firstLine = ({ description }: Json): string => String(description).split('\n', 1)[0] ?? '';
