import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { serviceOfStack } from '../../../infra/cli/stack.ts';
import { LeadService } from '../../../infra/stack/lead-service.ts';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { useStandInAws } from '../../support/aws/stand-in-aws.ts';
import { functionsBuilt, newApp, propertiesOf } from './service-template.ts';

/** The commands with `--stack` on stacks of other people's apps: the outputs are those of the synthesized templates. */
const { aws, run } = useStandInAws();

let outputs: [name: string, value: string][];
let alarmNames: string[];
beforeAll(async () => {
  await functionsBuilt();
  const stack = new Stack(newApp(), 'Theirs');
  new CfnOutput(stack, 'CustomersTableName', { value: 'customers' });
  for (const id of ['Leads', 'MoreLeads'])
    new LeadService(stack, id, { serviceName: `leads-${id.toLowerCase()}` });
  const template = Template.fromStack(stack);
  outputs = outputsOf(template.toJSON());
  alarmNames = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmName }) => AlarmName);
}, 60_000);

/** Gives the stand-in's stack these outputs. */
function deploy(all: Iterable<readonly [string, string]>): void {
  aws().outputs.clear();
  for (const [name, value] of all) aws().outputs.set(name, value);
}

test('one of two services in a stack is chosen by its ID, and service stop stops only that one', async () => {
  deploy(outputs);

  const { status } = await run('service', 'stop', '--stack', 'leads/MoreLeads');

  expect(status).toBe(0);
  expect(aws().reserved.size).toBe(endpoints.length);
  expect([...aws().reserved.keys()].filter((name) => !/^MoreLeads/.test(name))).toEqual([]);
  expect(await serviceOfStack('leads/Leads', () => undefined)).toMatchObject({
    name: expect.stringMatching(/^LeadsTable/),
    baseUrl: expect.stringMatching(/^https:.*LeadsApi/),
    version: expect.stringMatching(/^\d+\.\d+\.\d+\+/),
  });
});

test('the output ServiceName is what the alarms of a service in another app begin with', () => {
  const names = outputs.filter(([name]) => name.endsWith('ServiceName'));

  expect(names).toEqual([
    ['LeadsServiceName', 'leads-leads'],
    ['MoreLeadsServiceName', 'leads-moreleads'],
  ]);
  for (const [, name] of names) expect(alarmNames).toContain(`${name}-KnownKeyRefused`);
});

test.each([
  [
    'leads',
    'Stack leads has 2 lead services: name one with --stack leads/Leads or leads/MoreLeads.',
  ],
  [
    'leads/Lead',
    'Stack leads has no lead service Lead: did you mean --stack leads/Leads or leads/MoreLeads?',
  ],
])('--stack %s is refused in a stack of two services, naming their IDs', async (name, sentence) => {
  deploy(outputs);

  expect(await run('organization', 'list', '--stack', name)).toEqual({
    status: 1,
    stdout: '',
    stderr: `${sentence}\n`,
  });
});

test('the only service in the stack of another app needs no ID', async () => {
  deploy(outputs.filter(([name]) => !name.startsWith('MoreLeads')));

  expect(await serviceOfStack('leads', () => undefined)).toEqual({
    ...(await serviceOfStack('leads/Leads', () => undefined)),
    stack: 'leads',
  });
});

test('a stack that is being changed is recognized although its outputs are hidden', async () => {
  aws().stack.status = 'UPDATE_IN_PROGRESS';

  expect((await run('organization', 'list', '--stack', 'leads')).stderr).toBe(
    'Stack leads is being changed (UPDATE_IN_PROGRESS), and CloudFormation may hide its outputs until the change is complete: run the command again afterwards.\n',
  );
  aws().stack.status = 'UPDATE_COMPLETE';
});

test('service stop of a release that does not name its functions says what to do', async () => {
  deploy(Object.entries({ TableName: 'leads', BaseUrl: 'https://leads.example.com' }));

  expect((await run('service', 'stop', '--stack', 'leads')).stderr).toBe(
    'The outputs of stack leads name no functions: run the command from the release that is deployed.\n',
  );
});

/**
 * The outputs that CloudFormation would make of a template: a reference is named by its logical ID.
 * @param template as JSON
 */
function outputsOf(template: unknown): [name: string, value: string][] {
  const { Outputs } = template as { readonly Outputs: Record<string, { readonly Value: unknown }> };
  return Object.entries(Outputs).map(([name, { Value }]) => [name, resolved(Value)]);
}

function resolved(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, ...join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  return Ref ?? (join['Fn::Join']?.[1] ?? []).map(resolved).join('');
}
