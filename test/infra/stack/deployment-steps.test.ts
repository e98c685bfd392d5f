import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { EndpointFunction } from '../../../infra/stack/endpoint-function.ts';
import { LeadTable } from '../../../infra/stack/lead-table.ts';
import { checkOptions } from '../../../infra/stack/service-options.ts';
import { type EndpointName, endpointNamed, endpoints } from '../../../shared/endpoints.ts';
import type { IamRequest } from '../../security/roles/iam-request.ts';
import { type RecordedRequests, recordRequests } from '../../security/roles/recorded-requests.ts';
import { decide } from '../../security/roles/role-policies.ts';
import { templateWith } from './service-template.ts';
import { functionIn, type Moment, momentsOf } from './stand-in-cloudformation.ts';

/**
 * Which requests get a 500 while CloudFormation changes a function, in every order of its steps: OPERATE.md, "Requests during a deployment".
 * A function answers if its role allows every request that its code sends to the table of its environment.
 */
const names = endpoints.map(({ name }) => name);
let plain: Template;
let recorded: RecordedRequests;
beforeAll(async () => {
  [plain, recorded] = await Promise.all([templateWith(), recordRequests()]);
}, 120_000);

interface Deployment {
  readonly name: EndpointName;
  readonly before: Template;
  readonly after: Template;
  /** What each side's code sends. @default what the function sends today */
  readonly sends?: Readonly<Record<'before' | 'after', readonly IamRequest[]>>;
}

/** The moments in which some request fails, each once, by what decides: the role, the code, the environment. */
async function failingMoments({ name, before, after, sends }: Deployment) {
  const sides = { before: functionIn(before, name), after: functionIn(after, name) };
  const today = recorded.get(name) ?? [];
  const code = sends ?? { before: today, after: today };
  expect(code.before.length).toBeGreaterThan(1);
  const known = new Map<string, Promise<boolean>>();
  const fails = (moment: Moment): Promise<boolean> => {
    const text = textOf(moment);
    const result = known.get(text) ?? failsIn(moment);
    known.set(text, result);
    return result;
  };
  const failsIn = async (moment: Moment): Promise<boolean> => {
    const { statements } = sides[moment.role];
    const arnEnd = `table/${sides[moment.environment].table}`;
    const decisions = await Promise.all(
      code[moment.code].map((request) =>
        decide(statements, {
          ...request,
          resource: request.resource.replace('table/leads', arnEnd),
        }),
      ),
    );
    return decisions.some(({ isAllowed }) => !isAllowed);
  };
  const { moments, deployed, rolledBack } = momentsOf(sides.after);
  const ends = await Promise.all([...deployed, ...rolledBack].map(fails));
  expect({ deployed, rolledBack, ends }).toEqual({
    deployed: [{ accepted: 'after', role: 'after', code: 'after', environment: 'after' }],
    rolledBack: [{ accepted: 'before', role: 'before', code: 'before', environment: 'before' }],
    ends: [false, false],
  });
  const failed = await Promise.all(
    moments.map(async (moment) => ((await fails(moment)) ? [textOf(moment)] : [])),
  );
  return [...new Set(failed.flat())].sort();
}

const textOf = ({ role, code, environment }: Moment): string =>
  `role ${role}, code ${code}, environment ${environment}`;

const mixedTables = ['before', 'after'].flatMap((code) => [
  `role after, code ${code}, environment before`,
  `role before, code ${code}, environment after`,
]);

describe.each(names)('while a deployment changes %s', (name) => {
  test('the function waits for the policy of its role', () => {
    expect(functionIn(plain, name).waitsForRole).toBe(true);
  });

  test('an option that the function reads fails no request, forward, back or after a failure', async () => {
    const after = await templateWith({ memoryMb: 512, requestsPerKeyPerHour: 100, tracing: true });

    expect(await failingMoments({ name, before: plain, after })).toEqual([]);
    expect(await failingMoments({ name, before: after, after: plain })).toEqual([]);
  });

  test('another table fails the requests between the role and the environment, and no other', async () => {
    const after = await templateWith({ tableName: 'leads-restored' });

    expect(await failingMoments({ name, before: plain, after })).toEqual(mixedTables.sort());
    expect(await failingMoments({ name, before: after, after: plain })).toEqual(mixedTables.sort());
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
    new EndpointFunction(stack, 'Function', { endpoint, table, options, version: '1.1.0+test' });
    return Template.fromStack(stack);
  };
  const granting = (): Template => releaseWith(row.access);
  const withholding = (): Template => releaseWith(others);
  const using = (): readonly IamRequest[] => recorded.get(name) ?? [];
  const without = (): readonly IamRequest[] => using().filter((request) => !isNew(request));
  const deploy = (
    [before, sendsBefore]: readonly [Template, readonly IamRequest[]],
    [after, sendsAfter]: readonly [Template, readonly IamRequest[]],
  ) => failingMoments({ name, before, after, sends: { before: sendsBefore, after: sendsAfter } });

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

test('a release changes functions in place, so that a repeat and the way back find the same resources', async () => {
  const after = await templateWith({ memoryMb: 512, requestsPerKeyPerHour: 100 });
  const resourcesOf = (template: Template) =>
    Object.entries(
      template.toJSON().Resources as Record<string, { Type: string; DeletionPolicy?: string }>,
    );
  const old = new Map(resourcesOf(plain).map(([id, one]) => [id, JSON.stringify(one)]));

  const different = resourcesOf(after).filter(([id, one]) => old.get(id) !== JSON.stringify(one));

  expect(resourcesOf(after).map(([id]) => id)).toEqual([...old.keys()]);
  expect([...new Set(different.map(([, { Type }]) => Type))]).toEqual(['AWS::Lambda::Function']);
  // What a rollback leaves behind, a repeat meets.
  const kept = resourcesOf(plain).filter(([, one]) => one.DeletionPolicy === 'Retain');
  expect(kept.map(([, { Type }]) => Type)).toEqual(['AWS::DynamoDB::Table']);
});
