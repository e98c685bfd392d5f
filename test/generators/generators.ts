import { openApiFile } from '../../infra/openapi/document.ts';

/** The generators of clients that `npm run generators` tries. */

export interface Generator {
  readonly packages: readonly string[];
  readonly generate: readonly [string, ...string[]];
  /** A file here. It has `capture(baseUrl, apiKey, body)`, which returns the reason of a refused phone, or the lead's ID. */
  readonly use: string;
}

export const generators: readonly Generator[] = [
  {
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'],
    generate: ['openapi-typescript', openApiFile, '-o', 'api.d.ts'],
    use: 'openapi-fetch.ts.txt',
  },
  {
    packages: ['@hey-api/openapi-ts@0.99.0'],
    generate: ['openapi-ts', '-i', openApiFile, '-o', 'api'],
    use: 'hey-api.ts.txt',
  },
  {
    packages: ['orval@7.21.0'],
    generate: ['orval', '--input', openApiFile, '--output', './api.ts', '--client', 'fetch'],
    use: 'orval.ts.txt',
  },
];

export const generatorName = ({ packages }: Generator): string => packages.join(' with ');
