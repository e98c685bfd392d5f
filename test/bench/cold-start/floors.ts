import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
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
const empty = 'export const handler = async () => ({ statusCode: 200 });';

/** A bundle that functions are held against. */
export interface Floor {
  readonly name: string;
  readonly build: () => Promise<Uint8Array>;
}

/** As a team would build it: esbuild, ESM and minified, with the banner that its CommonJS parts need. */
const requireBanner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
export async function naiveBundle(
  source: string,
  options: BuildOptions = { mainFields: ['module', 'main'] },
): Promise<Uint8Array> {
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
    ...options,
  });
  return outputFiles?.[0]?.contents ?? new Uint8Array();
}

export const emptyFloor: Floor = {
  name: 'an empty handler',
  build: async () => (await bundle(empty)).code,
};
/** What the goals are shares of. */
export const naiveFloor: Floor = {
  name: 'client only, naive',
  build: () => naiveBundle(clientOnly),
};
export const otherFloors: readonly Floor[] = [
  { name: "client only, esbuild's defaults", build: () => naiveBundle(clientOnly, {}) },
  {
    name: 'client only, as the functions are built',
    build: async () => (await bundle(clientOnly)).code,
  },
];
