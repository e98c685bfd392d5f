import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../shared/endpoints.ts';
import { partitionKeyPrefixes } from '../../shared/store/table/table-definition.ts';
import { templateWith } from '../infra/stack/service-template.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: {
    readonly 'ForAllValues:StringLike'?: { readonly 'dynamodb:LeadingKeys': string | string[] };
  };
}
type Resource = { readonly Properties: Readonly<Record<string, unknown>> };

let template: Template;
/** By the function's description, `GET /api/v1/leads`: all that its role may do, as IAM reads it from the whole template. */
let statementsOf: (route: string) => readonly Statement[];
let tableId: string;

beforeAll(async () => {
  template = await templateWith();
  [tableId] = Object.keys(template.findResources('AWS::DynamoDB::Table')) as [string];
  const policies = Object.values(template.findResources('AWS::IAM::Policy')) as Resource[];
  const functions = Object.values(template.findResources('AWS::Lambda::Function')) as Resource[];
  statementsOf = (route) => {
    const own = functions.find(({ Properties }) => Properties.Description === route);
    if (!own) throw new Error(`The template has no function for ${route}.`);
    const role = (own.Properties.Role as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][0];
    return policies
      .filter(({ Properties }) =>
        (Properties.Roles as { Ref: string }[]).some(({ Ref }) => Ref === role),
      )
      .flatMap(
        ({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
      );
  };
}, 60_000);

const actionsOf = ({ Action }: Statement): string[] => [Action].flat();
const like = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(text);

/** Whether a role may do this to the items of a partition of the service's table. */
const allows = (statements: readonly Statement[], action: string, partition: string): boolean =>
  statements.some((statement) => {
    const patterns = [
      statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? '*',
    ].flat();
    const named =
      JSON.stringify(statement.Resource) === JSON.stringify({ 'Fn::GetAtt': [tableId, 'Arn'] });
    return (
      named &&
      actionsOf(statement).some((one) => like(one, action)) &&
      patterns.some((one) => like(one, partition))
    );
  });

const writes = [
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'PartiQLInsert',
  'PartiQLUpdate',
  'PartiQLDelete',
].map((name) => `dynamodb:${name}`);
const rows = endpoints.map(
  ({ name, method, path }) => [name, method, `${method} ${path}`] as const,
);

test('the allowed actions of a role are read correctly: capture writes leads, admission takes tokens', () => {
  expect(allows(statementsOf('POST /api/v1/leads/capture'), 'dynamodb:PutItem', 'LEADS#1')).toBe(
    true,
  );
  expect(allows(statementsOf('GET /api/v1/users'), 'dynamodb:UpdateItem', 'KEY#1')).toBe(true);
});

describe('the role of a function that reads', () => {
  test.each(rows.filter(([, method]) => method === 'GET'))(
    'the role of the reading function %s writes no lead, and nothing else that is a person’s',
    (_name, _method, route) => {
      const partitions = Object.values(partitionKeyPrefixes).filter(
        (prefix) => !['KEY#', 'USAGE#'].includes(prefix),
      );

      const written = partitions.flatMap((prefix) =>
        writes.filter((action) => allows(statementsOf(route), action, `${prefix}1`)),
      );

      expect(written).toEqual([]);
    },
  );
});

describe('the role of any function', () => {
  test.each(rows)(
    'the role of %s reaches the one table, its indexes and its own log',
    (_name, _method, route) => {
      const statements = statementsOf(route);
      const table = `{"Fn::GetAtt":["${tableId}","Arn"]}`;

      expect(statements.length).toBeGreaterThan(2);
      for (const { Resource, ...statement } of statements) {
        const service = new Set(
          actionsOf(statement as Statement).map((action) => action.split(':')[0]),
        );
        if (service.has('logs')) continue;
        expect([...service]).toEqual(['dynamodb']);
        const text = JSON.stringify(Resource);
        expect(
          text === table ||
            (text.startsWith(`{"Fn::Join":["",[${table},"/index/`) && !text.includes('*')),
        ).toBe(true);
      }
    },
  );

  test.each(rows)(
    'the role of %s changes no settings, reads, puts and deletes no key, and scans no table',
    (_name, _method, route) => {
      const statements = statementsOf(route);
      const never = [
        ...writes.map((action) => [action, 'ORG#1'] as const),
        ...writes
          .filter((action) => action !== 'dynamodb:UpdateItem')
          .map((action) => [action, 'KEY#1'] as const),
        ...['Scan', 'ExportTableToPointInTime', 'DescribeStream', 'UpdateTable', 'DeleteTable'].map(
          (name) => [`dynamodb:${name}`, 'LEADS#1'] as const,
        ),
        ...['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:BatchGetItem'].map(
          (action) => [action, 'KEY#1'] as const,
        ),
      ];

      expect(never.filter(([action, partition]) => allows(statements, action, partition))).toEqual(
        [],
      );
    },
  );

  test.each(rows)(
    'the role of %s may update key and usage items, whose tokens each request takes',
    (_name, _method, route) => {
      const statements = statementsOf(route);

      for (const partition of ['KEY#1', 'USAGE#1'])
        expect(allows(statements, 'dynamodb:UpdateItem', partition)).toBe(true);
    },
  );

  test('the role of a function has no managed and no inline policy', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role')) as Resource[];
    const ofFunctions = roles.filter(({ Properties }) =>
      JSON.stringify(Properties.AssumeRolePolicyDocument).includes('lambda.amazonaws.com'),
    );

    expect(ofFunctions.length).toBeGreaterThanOrEqual(endpoints.length);
    for (const { Properties } of ofFunctions)
      expect([Properties.ManagedPolicyArns, Properties.Policies]).toEqual([undefined, undefined]);
  });
});
