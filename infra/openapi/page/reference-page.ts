import scalarPlugin from '@scalar/fastify-api-reference';

/** The page's script, in the folder of the page. */
export const scriptName = 'reference.js';

/** Scalar gives the columns of a table fixed widths and breaks words in them: a wide table scrolls instead. */
const customCss = [
  '#reference .markdown table { display: block; width: 100%; contain: inline-size; overflow-x: auto; }',
  '#reference .markdown th, #reference .markdown td { padding: 0.4rem 0.6rem; word-break: normal; overflow-wrap: normal; }',
  '#reference .markdown td code { white-space: nowrap; }',
].join('\n');

export interface PageOptions {
  /** The API description as text. */
  readonly openApi: string;
  /** The address that requests of the page go to; undefined for a page that sends none. */
  readonly tryItAt?: string;
  /** Filled in for the requests of the page. */
  readonly apiKey?: string | undefined;
}

/** Whatever the page's script would like to load: the browser asks nobody but the page's own server. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
].join('; ');

/** The reference page, with the API description inside, so that it also opens from a disk. */
export function referencePage({ openApi, tryItAt, apiKey }: PageOptions): string {
  const configuration = {
    content: openApi,
    ...(tryItAt === undefined ? { hideTestRequestButton: true } : { servers: [{ url: tryItAt }] }),
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { token: apiKey ?? '' } },
    },
    customCss,
    // The rest turns off what would ask a server of Scalar's.
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<title>Lead management service: API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="${scriptName}"></script>
<script>Scalar.createApiReference('#reference', ${inScript(configuration)});</script>
</body>
</html>
`;
}

/** JSON that cannot end the script that it stands in. */
const inScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** What the plugin asks of Fastify, and of a reply. */
interface Reply {
  header: () => Reply;
  send: (content: string) => Reply;
}
interface Route {
  readonly url: string;
  readonly handler: (request: undefined, reply: Reply) => unknown;
}

/**
 * The script of the page. Scalar's Fastify plugin is the package that has it whole, without 270 others; so the plugin is registered here
 * with what collects its routes.
 * @throws Error if the plugin has no such route
 */
export function referenceScript(): string {
  const routes: Route[] = [];
  const server = {
    route: (route: Route) => void routes.push(route),
    hasPlugin: () => false,
    initialConfig: {},
  };
  const register: (server: object, options: object, done: () => void) => void = scalarPlugin;
  register(server, { configuration: { url: 'openapi.json' } }, () => undefined);
  let script = '';
  const reply: Reply = {
    header: () => reply,
    send: (content) => {
      script = content;
      return reply;
    },
  };
  routes.find(({ url }) => url.endsWith('.js'))?.handler(undefined, reply);
  if (script === '')
    throw new Error('@scalar/fastify-api-reference has no route that sends its script.');
  return script;
}
