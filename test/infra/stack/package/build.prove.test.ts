import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { buildFunctions } from '../../../../infra/bundle/bundle.ts';
import { LeadService } from '../../../../infra/stack/lead-service.ts';
import { buildPackage } from '../../../../infra/stack/package/build.ts';
import { machineNode, projectFolder } from '../../../support/service-process.ts';
import { useFolder } from '../../given-folder.ts';
import { everyOption, newApp } from '../service-template.ts';

/** The package as a customer has it: installed from its file into an app as `cdk init` writes it, outside the project. */

const run = promisify(execFile);
const ofProject = (...path: string[]): string => join(projectFolder, 'node_modules', ...path);
const files = useFolder();

const appSource = `
import * as cdk from 'aws-cdk-lib';
import { LeadService, type LeadServiceProps } from 'lead-service';

const options: LeadServiceProps = ${JSON.stringify(everyOption)};
const { baseUrl }: LeadService = new LeadService(new cdk.Stack(new cdk.App(), 'Theirs'), 'Leads', options);
export const address: string = baseUrl;
`;

let template: { readonly Resources: object; readonly Outputs: object };

beforeAll(async () => {
  const [file] = await Promise.all([buildPackage(files.path('packages')), buildFunctions()]);
  expect((await stat(file)).size).toBeLessThan(4_000_000);
  await install(file);
  await writeFile(files.path('app.ts'), appSource);
  await run(ofProject('.bin', 'tsc'), ['-p', '.'], { cwd: files.path() });
  const env = { ...process.env, CDK_OUTDIR: files.path('cdk.out') };
  await run(await machineNode(), ['app.js'], { cwd: files.path(), env });
  template = JSON.parse(await files.read(files.path('cdk.out', 'Theirs.template.json')));
}, 120_000);

/** Installs as npm does, but links the dependencies to those of the project, so that no registry is asked. */
async function install(file: string): Promise<void> {
  const own = files.path('node_modules', 'lead-service');
  await mkdir(own, { recursive: true });
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', own]);
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(join(own, 'package.json'), 'utf8'),
  );
  const needed = Object.keys({ ...dependencies, ...peerDependencies });
  for (const name of [...needed, '@types', 'undici-types'])
    await symlink(ofProject(name), files.path('node_modules', name));
  const initial = ofProject(
    'aws-cdk',
    'lib',
    'init-templates',
    'app',
    'typescript',
    'tsconfig.json',
  );
  const { compilerOptions } = JSON.parse(await readFile(initial, 'utf8'));
  const changed = { types: ['node'], noEmit: false };
  await writeFile(
    files.path('tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...changed }, files: ['app.ts'] }),
  );
}

test('an app that installed the package synthesizes the template of the checkout', () => {
  const stack = new Stack(newApp(), 'Theirs');
  new LeadService(stack, 'Leads', everyOption);

  const { Resources, Outputs } = Template.fromStack(stack).toJSON();
  expect(template.Resources).toEqual(Resources);
  expect(template.Outputs).toEqual(Outputs);
});

test('an app of ES modules imports the construct by its name', async () => {
  const source = "import { LeadService } from 'lead-service'; console.log(LeadService.name);";
  const args = ['--input-type=module', '--eval', source];

  expect((await run(await machineNode(), args, { cwd: files.path() })).stdout).toBe(
    'LeadService\n',
  );
});
