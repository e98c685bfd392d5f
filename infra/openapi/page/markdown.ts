import type { Json } from '../json-schema.ts';

/** The API description as Markdown: for people without a browser, and for language models (llms.txt). */

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
}
interface Content {
  readonly content?: {
    readonly 'application/json': {
      readonly schema: Json;
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    };
  };
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Json>>;
}
export interface ApiDescription {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Json;
}

const introduction = 'introduction';
const fileOf = (page: string): string => `${page}.md`;

/** Every file by its name: `llms.txt`, the introduction, and one for each operation. */
export function markdownFiles(api: ApiDescription): Readonly<Record<string, string>> {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operation,
      title: `${method.toUpperCase()} ${path}`,
    })),
  );
  const pages = operations.map(({ title, operation }) => [
    fileOf(operation.operationId),
    operationPage(api, title, operation),
  ]);
  const list = operations.map(
    ({ title, operation }) =>
      `- [${title}](${fileOf(operation.operationId)}): ${operation.summary}`,
  );
  const index = [
    `# ${api.info.title}`,
    `> ${api.info.description.split('\n\n')[0]?.replaceAll('\n', ' ')}`,
    '## Guide',
    `- [Introduction](${fileOf(introduction)}): API keys, limits, errors\n- [openapi.json](openapi.json): the API description (OpenAPI 3.1)`,
    '## Endpoints',
    list.join('\n'),
  ];
  return {
    'llms.txt': `${index.join('\n\n')}\n`,
    [fileOf(introduction)]: `# ${api.info.title} ${api.info.version}\n\n${api.info.description}\n`,
    ...Object.fromEntries(pages),
  };
}

function operationPage(api: ApiDescription, title: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).flatMap(([status, response]) =>
    contentLines(status, resolved<Content & { description: string }>(api, response)),
  );
  return `${[
    `# ${summary}`,
    `\`${title}\``,
    description,
    ...(parameters.length > 0 ? ['## Parameters', parameters.map(parameterText).join('\n\n')] : []),
    ...(requestBody ? ['## Request body', ...bodyLines(api, requestBody)] : []),
    '## Responses',
    ...answers,
  ].join('\n\n')}\n`;
}

const parameterText = ({ name, in: place, required, description, schema }: Parameter): string =>
  `\`${name}\` (${place}, ${schema.type}${required ? ', required' : ''}): ${description}`;

/** The properties of a body with their sentences, and its examples. */
function bodyLines(api: ApiDescription, { content }: Content): string[] {
  const body = content?.['application/json'];
  const schema = resolved<Json>(api, body?.schema ?? {});
  const required = new Set((schema.required ?? []) as readonly string[]);
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>);
  const lines = properties.map(([name, { description = '' }]) => {
    const note = required.has(name) ? ' (required)' : '';
    return `- \`${name}\`${note}: ${description}`;
  });
  return [lines.join('\n'), ...exampleLines(body?.examples)];
}

function contentLines(
  status: string,
  { description, content }: Content & { description: string },
): string[] {
  const body = content?.['application/json'];
  return [`### ${status}`, description, ...exampleLines(body?.examples)];
}

const exampleLines = (
  examples: Readonly<Record<string, { readonly value: unknown }>> = {},
): string[] =>
  Object.entries(examples).map(
    ([name, { value }]) =>
      `Example: ${name}\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
  );

/** The object that a reference of the document names; any other object as it is. */
function resolved<Target>(api: ApiDescription, value: Json): Target {
  if (typeof value.$ref !== 'string') return value as Target;
  const steps = value.$ref.replace('#/', '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Json)[step], api) as Target;
}
