import { resolve } from 'node:path';
import { build } from 'esbuild';
import { bundle } from '../../../infra/bundle/bundle.ts';

const projectFolder = resolve(import.meta.dirname, '..', '..', '..');

/** The DynamoDB document client and one read: what no function that uses it can be faster than. */
const clientOnly = `
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  export const handler = async () => {
    await client.send(new GetCommand({ TableName: 'leads', Key: { pk: 'ORG#1', sk: 'SETTINGS' } }));
    return { statusCode: 200 };
  };`;

/** As a team would build it: esbuild, ESM and minified, with the banner that its CommonJS parts need. */
const requireBanner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
export async function naiveBundle(source: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: projectFolder, sourcefile: 'entry.ts', loader: 'ts' },
    absWorkingDir: projectFolder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: requireBanner },
    write: false,
    logLevel: 'error',
    mainFields: ['module', 'main'],
  });
  return outputFiles?.[0]?.contents ?? new Uint8Array();
}

/** What the goals are shares of. */
export const naiveFloor = 'client only, naive';
/** Bundles that functions are compared with. */
export const floors: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  [naiveFloor]: () => naiveBundle(clientOnly),
  'client only, as the functions are built': async () => (await bundle(clientOnly)).code,
};
