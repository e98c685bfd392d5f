import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleFunctions } from '../../../infra/bundle/bundle.ts';
import { projectFolder } from '../../support/service-process.ts';

/** The folder of the package that a bundled file belongs to, nested ones too. */
const packageFolder = (input: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];

/**
 * The packages in the functions' bundles, with their versions. Compare this list with advisories (`npm audit` needs a registry that answers
 * it). A package that is new here is a package to look at; then `npm test -- bundled-packages -u`.
 */
test('a function’s bundle contains these packages and no others', async () => {
  const bundles = [...(await bundleFunctions()).values()];
  const folders = new Set(
    bundles
      .flatMap(({ inputs }) => inputs.map(packageFolder))
      .filter((folder) => folder !== undefined),
  );
  const packages = [...folders].map((folder) => {
    const { name, version } = JSON.parse(
      readFileSync(join(projectFolder, folder, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    return `${name} ${version}`;
  });

  expect(packages.length).toBeGreaterThan(10);
  await expect(`${packages.sort().join('\n')}\n`).toMatchFileSnapshot('bundled-packages.txt');
});
