import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkOptions } from '../../../infra/stack/check-options.ts';
import { EndpointFunction } from '../../../infra/stack/endpoint-function.ts';
import { LeadTable } from '../../../infra/stack/lead-table.ts';
import { type EndpointName, endpointNamed, endpoints } from '../../../shared/endpoints.ts';
import type { IamRequest } from '../../security/roles/iam-request.ts';
import { type RecordedRequests, recordRequests } from '../../security/roles/recorded-requests.ts';
import { decide, statementsOf } from '../../security/roles/role-policies.ts';
import { templateWith } from './service-template.ts';

/**
 * Which requests get a 500 while CloudFormation changes a function: OPERATE.md, "Requests during a deployment". A function answers if its role
 * allows every request that its code sends to the table of its environment.
 *
 * CloudFormation changes the role's policy, the code (UpdateFunctionCode) and the environment (UpdateFunctionConfiguration) one by one, and
 * after a failure sets them back in any order. IAM applies a policy some time after it has accepted it (IAM user guide,
 * troubleshoot_general: "eventual consistency"). So a request can meet every combination.
 */
const sides = ['before', 'after'] as const;
type Side = (typeof sides)[number];
const moments = sides.flatMap((role) =>
  sides.flatMap((code) => sides.map((environment) => ({ role, code, environment }))),
);

const names = endpoints.map(({ name }) => name);
let plain: Template;
let recorded: RecordedRequests;
beforeAll(async () => {
  [plain, recorded] = await Promise.all([templateWith(), recordRequests()]);
}, 120_000);

/** The table that a function of the template uses. */
function tableIn(template: Template, description: string): string {
  const functions = template.findResources('AWS::Lambda::Function', {
    Properties: { Description: description },
  });
  const [{ Properties } = { Properties: undefined }] = Object.values(functions);
  const { LEADS_TABLE: table } = Properties?.Environment.Variables ?? {};
  return typeof table === 'string' ? table : 'leads';
}

/**
 * The moments in which some request fails, by what decides: the role, the code, the environment.
 * @param sends what each side's code sends; by default what the function sends today
 */
async function failingMoments(
  name: EndpointName,
  templates: Readonly<Record<Side, Template>>,
  sends?: Readonly<Record<Side, readonly IamRequest[]>>,
): Promise<string[]> {
  const { method, path } = endpointNamed(name);
  const today = recorded.get(name) ?? [];
  const code = sends ?? { before: today, after: today };
  expect(code.before.length).toBeGreaterThan(1);
  const failed: string[] = [];
  for (const moment of moments) {
    const statements = statementsOf(templates[moment.role], `${method} ${path}`);
    const arnEnd = `table/${tableIn(templates[moment.environment], `${method} ${path}`)}`;
    const decisions = await Promise.all(
      code[moment.code].map(({ resource, ...request }) =>
        decide(statements, { ...request, resource: resource.replace('table/leads', arnEnd) }),
      ),
    );
    if (decisions.some(({ isAllowed }) => !isAllowed))
      failed.push(`role ${moment.role}, code ${moment.code}, environment ${moment.environment}`);
  }
  return failed.sort();
}

const mixedTables = sides.flatMap((code) => [
  `role after, code ${code}, environment before`,
  `role before, code ${code}, environment after`,
]);

describe.each(names)('while a deployment changes %s', (name) => {
  test('an option that the function reads fails no request, forward, back or after a failure', async () => {
    const after = await templateWith({ memoryMb: 512, requestsPerKeyPerHour: 100, tracing: true });

    expect(await failingMoments(name, { before: plain, after })).toEqual([]);
  });

  test('another table fails the requests between the role and the environment, and no other', async () => {
    const after = await templateWith({ tableName: 'leads-restored' });

    expect(await failingMoments(name, { before: plain, after })).toEqual(mixedTables.sort());
  });
});

describe('while a deployment changes a permission', () => {
  const name = 'list-leads';
  const row = endpointNamed(name);
  const { BatchGetItem, ...others } = row.access;
  const isNew = ({ action }: IamRequest): boolean => action === 'dynamodb:BatchGetItem';
  /** A release whose row has this access. */
  const releaseWith = (access: typeof row.access | typeof others): Template => {
    const stack = new Stack(new App(), 'Leads');
    const options = checkOptions({});
    const table = new LeadTable(stack, 'Table', options);
    const endpoint = { ...row, access };
    const release = { name: 'v1.1.0', version: '1.1.0+test' };
    new EndpointFunction(stack, endpoint, table, { options, release });
    return Template.fromStack(stack);
  };
  const granting = (): Template => releaseWith(row.access);
  const withholding = (): Template => releaseWith(others);
  const using = (): readonly IamRequest[] => recorded.get(name) ?? [];
  const without = (): readonly IamRequest[] => using().filter((request) => !isNew(request));
  const deploy = (
    [before, sendsBefore]: readonly [Template, readonly IamRequest[]],
    [after, sendsAfter]: readonly [Template, readonly IamRequest[]],
  ) => failingMoments(name, { before, after }, { before: sendsBefore, after: sendsAfter });

  test('a new permission fails only until IAM applies the new role', async () => {
    expect(BatchGetItem).toBeDefined();
    expect(await deploy([withholding(), without()], [granting(), using()])).toEqual([
      'role before, code after, environment after',
      'role before, code after, environment before',
    ]);
  });

  test('a permission that leaves with the code that used it fails until the code changes', async () => {
    expect(await deploy([granting(), using()], [withholding(), without()])).toEqual([
      'role after, code before, environment after',
      'role after, code before, environment before',
    ]);
  });

  test('a permission that leaves one release after the code fails nothing, forward or back', async () => {
    const [uses, keeps, drops] = [
      [granting(), using()],
      [granting(), without()],
      [withholding(), without()],
    ] as const;

    for (const [from, to] of [
      [uses, keeps],
      [keeps, drops],
      [drops, keeps],
      [keeps, uses],
    ] as const)
      expect(await deploy(from, to)).toEqual([]);
  });
});
