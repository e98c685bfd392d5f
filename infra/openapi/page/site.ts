import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { endpointDescriptions } from '../endpoint-descriptions.ts';
import { introduction, localBaseUrl } from '../introduction.ts';

const openApiFile = join(import.meta.dirname, '../../..', 'openapi.json');

/** Whether the page sends requests, to the server that it comes from. */
interface SiteOptions {
  readonly sendsRequests: boolean;
}

/** Swagger UI's own style breaks words in narrow columns: a wide table scrolls instead. */
const style = `
.swagger-ui .renderedMarkdown table { display: block; overflow-x: auto; }
.swagger-ui .renderedMarkdown td { min-width: 6em; }
.swagger-ui .renderedMarkdown td code { white-space: nowrap; }
.swagger-ui .renderedMarkdown pre { overflow-x: auto; white-space: pre; }
.swagger-ui td.parameters-col_description { width: 100%; max-width: 0; }
`;

/** Whatever the page's script would like to load: the browser asks nobody but the page's own server. */
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** The reference page. It contains the API description, so that it also opens from a disk. */
export function referencePage(openApi: string, { sendsRequests }: SiteOptions): string {
  // Swagger UI would ask for a file to send as the filter, and would send the example of every optional parameter.
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<title>Lead management service: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<style>${style}</style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script>
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
const ui = SwaggerUIBundle(${inScript(options)});
${sendsRequests ? '' : referencesFromDisk}
</script>
</body>
</html>
`;
}

/** References are resolved against the page's address, which the script cannot read if the page was opened from a disk. */
const referencesFromDisk = `ui.specActions.updateUrl('${localBaseUrl}');`;

/** JSON that cannot end the script that it stands in. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const { resolve: resolvePackage } = createRequire(import.meta.url);
const ofSwaggerUi = (name: string): string =>
  readFileSync(resolvePackage(`swagger-ui-dist/${name}`), 'utf8');

/** The files of the site by name. */
export function siteFiles(options: SiteOptions) {
  const openApi = readFileSync(openApiFile, 'utf8');
  return {
    'index.html': referencePage(openApi, options),
    'swagger-ui.css': ofSwaggerUi('swagger-ui.css'),
    'swagger-ui-bundle.js': ofSwaggerUi('swagger-ui-bundle.js'),
    'openapi.json': openApi,
    'llms.txt': llmsText(),
  };
}

/** The introduction and the list of endpoints in Markdown, for language models (llmstxt.org). */
function llmsText(): string {
  const [summary = '', ...sections] = introduction.split('\n\n');
  const rows = endpoints.map(
    ({ name, method, path }) => `- \`${method} ${path}\`: ${endpointDescriptions[name].summary}`,
  );
  return `# Lead management service

> ${summary.replaceAll('\n', ' ')}

[openapi.json](openapi.json) describes each endpoint in full, with examples (OpenAPI 3.1).

${sections.join('\n\n')}

## Endpoints

${rows.join('\n')}
`;
}

/**
 * Writes the site into a new or an empty folder.
 * @returns the folder and its files
 * @throws CommandError for a folder that is not empty, or that cannot be written
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
