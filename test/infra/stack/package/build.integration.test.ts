import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeadService } from '../../../../infra/stack/lead-service.ts';
import { buildPackage } from '../../../../infra/stack/package/build.ts';
import { endpoints } from '../../../../shared/endpoints.ts';
import { runAdmin } from '../../../support/admin.ts';
import { outputsOf, type StandInAws, startStandInAws } from '../../../support/aws/stand-in-aws.ts';
import { machineNode } from '../../../support/machine-node.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { projectFolder } from '../../../support/service-process.ts';
import { failedLines, verify } from '../../verify/verify-run.ts';
import { everyOption } from '../service-template.ts';

/** The package as a customer has it: installed from its file into an app as `cdk init` writes it, outside the project. */

const run = promisify(execFile);
const ofProject = (...path: string[]): string => join(projectFolder, 'node_modules', ...path);

const appSource = `
import * as cdk from 'aws-cdk-lib';
import { LeadService, type LeadServiceProps } from 'lead-service';

const options: LeadServiceProps = ${JSON.stringify(everyOption)};
const { baseUrl }: LeadService = new LeadService(new cdk.Stack(new cdk.App(), 'Theirs'), 'Leads', options);
export const address: string = baseUrl;
`;

let folder: string;
let template: { readonly Resources: Readonly<Record<string, object>> };
let aws: StandInAws;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-consumer-'));
  const file = await buildPackage(join(folder, 'packages'));
  expect((await stat(file)).size).toBeLessThan(4_000_000);
  await install(file);
  await writeFile(join(folder, 'app.ts'), appSource);
  await run(ofProject('.bin', 'tsc'), ['-p', '.'], { cwd: folder });
  const env = { ...process.env, CDK_OUTDIR: join(folder, 'cdk.out') };
  await run(await machineNode(), ['app.js'], { cwd: folder, env });
  template = JSON.parse(await readFile(join(folder, 'cdk.out', 'Theirs.template.json'), 'utf8'));
  aws = await startStandInAws();
}, 120_000);
afterAll(async () => {
  aws?.close();
  await rm(folder, { recursive: true, force: true });
});

/** npm finds the CDK and what the package depends on where the project has them, so that it asks no registry. */
async function install(file: string): Promise<void> {
  const needed = ['aws-cdk-lib', 'constructs', 'cdk-monitoring-constructs', 'valibot'];
  const dependencies = Object.fromEntries(needed.map((name) => [name, `file:${ofProject(name)}`]));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', file], { cwd: folder });
  for (const types of ['@types', 'undici-types'])
    await symlink(ofProject(types), join(folder, 'node_modules', types));
  const { compilerOptions } = JSON.parse(
    await readFile(
      ofProject('aws-cdk', 'lib', 'init-templates', 'app', 'typescript', 'tsconfig.json'),
      'utf8',
    ),
  );
  const changed = { types: ['node'], noEmit: false };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...changed }, files: ['app.ts'] }),
  );
}

test('an app that installed the package synthesizes the template of the checkout', () => {
  const stack = new Stack(new App(), 'Theirs');
  new LeadService(stack, 'Leads', everyOption);

  expect(template.Resources).toEqual(Template.fromStack(stack).toJSON().Resources);
  expect(outputsOf(template)).toEqual(outputsOf(Template.fromStack(stack).toJSON()));
});

test('an app of ES modules imports the construct by its name', async () => {
  const source = "import { LeadService } from 'lead-service'; console.log(LeadService.name);";
  const args = ['--input-type=module', '--eval', source];

  expect((await run(await machineNode(), args, { cwd: folder })).stdout).toBe('LeadService\n');
});

test('verify, admin and service stop find the service that the app deployed', async () => {
  const { baseUrl, environment } = service();
  const { id } = await givenOrganization();
  for (const [name, value] of outputsOf(template)) aws.outputs.set(name, value);
  aws.outputs.set('LeadsBaseUrl', baseUrl).set('LeadsTableName', environment.LEADS_TABLE ?? '');
  for (const name of ['BaseUrl', 'TableName', 'Functions']) aws.outputs.delete(name);
  const stack = ['--stack', 'leads'];
  const variables = { ...aws.environment, ...environment, LEADS_TABLE: '' };

  const verified = await verify(stack, variables);
  const listed = await runAdmin(['organization', 'list', ...stack], { environment: variables });
  const stopped = await runAdmin(['service', 'stop', ...stack], { environment: variables });

  expect(failedLines(verified)).toEqual([]);
  expect(verified.lines[0]).toBe(
    `Stack leads runs ${aws.outputs.get('LeadsRelease')}, version ${aws.outputs.get('LeadsVersion')}.`,
  );
  expect(listed.stdout).toContain(`${id} `);
  expect(stopped.status).toBe(0);
  expect([...aws.reserved]).toEqual(endpoints.map(() => [expect.stringMatching(/^Leads/), 0]));
});
