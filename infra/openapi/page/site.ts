import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { endpointDescriptions } from '../endpoint-descriptions.ts';
import { introduction, localBaseUrl, tags } from '../introduction.ts';

const openApiFile = join(import.meta.dirname, '../../..', 'openapi.json');

/** Whether the page can send requests to the server that it comes from. */
interface SiteOptions {
  readonly sendsRequests: boolean;
}

/** Whatever the page's script tries to load, the browser contacts only the page's own server. */
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** The reference page. It contains the API description, so that it also works as a file on disk. */
export function referencePage(openApi: string, { sendsRequests }: SiteOptions): string {
  // Otherwise, Swagger UI would ask for a file as the filter, and would send the example of every optional parameter.
  const description: object = JSON.parse(openApi, (name, value) => {
    if (name === 'contentMediaType') return undefined;
    const isOptionalParameter = sendsRequests && value?.in && value.required === false;
    return isOptionalParameter ? { ...value, example: undefined } : value;
  });
  const options = {
    dom_id: '#swagger-ui',
    spec: sendsRequests ? { ...description, servers: [{ url: '/' }] } : description,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    ...(sendsRequests ? { tryItOutEnabled: true } : { supportedSubmitMethods: [] }),
  };
  const page = {
    options,
    introduction: sections,
    ...(!sendsRequests && { address: localBaseUrl }),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<title>Lead management service: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="reference.css">
</head>
<body>
<header>
<h1>Lead management service: API reference</h1>
<p>${summary}</p>
</header>
<nav aria-label="Contents">
${contents()}
</nav>
<main id="swagger-ui"></main>
<script src="swagger-ui-bundle.js"></script>
<script id="page" type="application/json">${inScript(page)}</script>
<script src="reference.js"></script>
</body>
</html>
`;
}

const [summary = '', ...sectionTexts] = introduction.split(/\n\n(?=## )/);

/** The introduction's sections, each with its heading. */
const sections = sectionTexts.map((markdown) => {
  const title = markdown.slice(3, markdown.indexOf('\n'));
  return { id: title.toLowerCase().replaceAll(' ', '-'), title, markdown };
});

/** The endpoints, by the IDs that Swagger UI gives them, and the introduction's sections. */
function contents(): string {
  const groups = Object.keys(tags).map((tag) => {
    const id = tag.replaceAll(' ', '_');
    const links = endpoints
      .filter(({ name }) => endpointDescriptions[name].tag === tag)
      .map(({ name }) => link(`operations-${id}-${name}`, endpointDescriptions[name].summary));
    return `<h2>${link(`operations-tag-${id}`, tag)}</h2>${list(links, 'endpoints')}`;
  });
  const links = sections.map(({ id, title }) => link(id, title));
  return [...groups, `<h2>Introduction</h2>${list(links, 'sections')}`].join('\n');
}

const link = (id: string, text: string): string => `<a href="#${id}">${text}</a>`;

const list = (links: readonly string[], className: string): string =>
  `<ul class="${className}">${links.map((one) => `<li>${one}</li>`).join(' ')}</ul>`;

/** JSON that cannot end the script element around it. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const { resolve: resolvePackage } = createRequire(import.meta.url);
const ofSwaggerUi = (name: string): string =>
  readFileSync(resolvePackage(`swagger-ui-dist/${name}`), 'utf8');

const ofPage = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The files of the site by name. */
export function siteFiles(options: SiteOptions) {
  const openApi = readFileSync(openApiFile, 'utf8');
  return {
    'index.html': referencePage(openApi, options),
    'reference.css': ofPage('reference.css'),
    'reference.js': ofPage('reference.js'),
    'swagger-ui.css': ofSwaggerUi('swagger-ui.css'),
    'swagger-ui-bundle.js': ofSwaggerUi('swagger-ui-bundle.js'),
    'openapi.json': openApi,
    'llms.txt': llmsText(),
  };
}

/** The introduction and the list of endpoints in Markdown, for language models (llmstxt.org). */
function llmsText(): string {
  const rows = endpoints.map(
    ({ name, method, path }) => `- \`${method} ${path}\`: ${endpointDescriptions[name].summary}`,
  );
  return `# Lead management service

> ${summary.replaceAll('\n', ' ')}

[openapi.json](openapi.json) describes each endpoint in full, with examples (OpenAPI 3.1).

${sectionTexts.join('\n\n')}

## Endpoints

${rows.join('\n')}
`;
}

/**
 * Writes the site into a new or an empty folder.
 * @returns the folder and its files
 * @throws CommandError if the folder is not empty or cannot be written
 */
export function writeSite(folder: string): { folder: string; names: string[] } {
  const target = resolve(folder);
  const files = siteFiles({ sendsRequests: false });
  try {
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new CommandError(
        `--out ${folder}: the folder is not empty: name a new folder, or empty this one.`,
      );
    mkdirSync(target, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(target, name), text);
  } catch (error) {
    const issue = `--out ${folder}: the folder cannot be written`;
    return refusePath(issue, error, 'Name another folder.');
  }
  return { folder: target, names: Object.keys(files) };
}
