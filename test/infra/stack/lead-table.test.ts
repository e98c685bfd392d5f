import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { expect, test } from 'vitest';
import { LeadTable } from '../../../infra/stack/lead-table.ts';
import { checkOptions } from '../../../infra/stack/service-options.ts';
import {
  type Access,
  admissionAccess,
  type Endpoint,
  endpointNamed,
  endpoints,
} from '../../../shared/endpoints.ts';
import {
  partitionKeyPrefixes,
  tableDefinition,
} from '../../../shared/store/table/table-definition.ts';

interface Statement {
  Effect: string;
  Action: string;
  Resource: unknown;
  Condition: {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': string | string[] };
    Null: Record<string, string>;
  };
}

/** What a role is allowed on the table once it has been granted an endpoint's access. */
function statementsFor(endpoint: Endpoint): Statement[] {
  const stack = new Stack(new App(), 'Stack');
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  new LeadTable(stack, 'Table', checkOptions({})).grantTo(role, endpoint);
  const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  return policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Statement[]);
}

const leadingKeys = ({ Condition }: Statement): string[] =>
  [Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys']].flat();
const isOnIndex = ({ Resource }: Statement): boolean =>
  JSON.stringify(Resource).includes('/index/');

/** 'UpdateItem USAGE#*' and so on: each action with each partition key prefix it may touch. */
const allowed = (statements: Statement[]): string[] =>
  statements
    .flatMap((statement) => leadingKeys(statement).map((keys) => `${statement.Action} ${keys}`))
    .sort();
const wanted = (...accesses: Access[]): string[] => {
  const pairs = accesses.flatMap((access) =>
    Object.entries(access).flatMap(([action, itemTypes]) =>
      itemTypes.map((itemType) => `dynamodb:${action} ${partitionKeyPrefixes[itemType]}*`),
    ),
  );
  return [...new Set(pairs)].sort();
};

test('the table is as defined, protected, recoverable, encrypted, on demand and retained', () => {
  const { partitionKey, sortKey, indexes, timeToLiveAttribute } = tableDefinition;
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
  const stack = new Stack(new App(), 'Stack');
  new LeadTable(stack, 'Table', checkOptions({}));

  Template.fromStack(stack).hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
      KeySchema: keys(partitionKey, sortKey),
      // Keys and the size of large leads only.
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['largeKb'] },
      })),
    },
  });
});

test('a key of the table’s own stays with the table, but goes with a first deployment that fails', () => {
  const stack = new Stack(new App(), 'Stack');
  new LeadTable(stack, 'Table', checkOptions({ kmsKey: 'customer-managed' }));

  Template.fromStack(stack).hasResource('AWS::KMS::Key', {
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  });
});

test('no prefix of an item type begins another, so that a role limited to one reaches no other', () => {
  const prefixes = Object.values(partitionKeyPrefixes);

  expect(
    prefixes.filter((one, i) => prefixes.some((other, j) => i !== j && other.startsWith(one))),
  ).toEqual([]);
});

test.each<Endpoint>(endpoints)(
  '$name is granted what its row says, on named keys of the table or one index',
  (endpoint) => {
    const statements = statementsFor(endpoint);

    expect(allowed(statements)).toEqual(wanted(admissionAccess, endpoint.access));
    const indexPrefixes = tableDefinition.indexes.map(
      ({ holds }) => `${partitionKeyPrefixes[holds]}*`,
    );
    for (const statement of statements) {
      const { Effect, Action, Condition } = statement;
      expect(Effect).toBe('Allow');
      expect(Action).toMatch(/^dynamodb:[A-Za-z]+$/);
      expect(Condition.Null).toMatchObject({ 'dynamodb:LeadingKeys': 'false' });
      expect(leadingKeys(statement)).not.toHaveLength(0);
      for (const keys of leadingKeys(statement))
        expect(indexPrefixes.includes(keys)).toBe(isOnIndex(statement));
    }
    expect(JSON.stringify(statements.map(({ Resource }) => Resource))).not.toContain('*');
  },
);

test.each<Endpoint>(endpoints)(
  'updates of token buckets by $name name only attributes of a bucket and its conditions',
  (endpoint) => {
    const limited = statementsFor(endpoint).filter(({ Condition }) =>
      Object.hasOwn(Condition, 'ForAllValues:StringEquals'),
    );

    const bucket = ['pk', 'sk', 'used', 'windowEndsAt'];
    expect(limited.map((one) => [one.Action, leadingKeys(one), one.Condition])).toEqual(
      [
        ['KEY#*', [...bucket, 'revokedAt', 'expiresAt']] as const,
        ['USAGE#*', [...bucket, ...(endpoint.numbersLeads ? ['lastLeadId'] : [])]] as const,
      ].map(([prefix, attributes]) => [
        'dynamodb:UpdateItem',
        [prefix],
        expect.objectContaining({
          'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
          Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
        }),
      ]),
    );
  },
);

const reading = endpoints.filter(({ method }) => method === 'GET');
const writes = /^dynamodb:(Put|Update|Delete|BatchWrite)/;

test.each(reading)('a function that reads writes nothing but token buckets: $name', (endpoint) => {
  const written = allowed(statementsFor(endpoint)).filter((pair) => writes.test(pair));

  expect(written).toEqual(['dynamodb:UpdateItem KEY#*', 'dynamodb:UpdateItem USAGE#*']);
});

test('list-leads asks each index for its own entries, with its name in the resource', () => {
  const queries = statementsFor(endpointNamed('list-leads')).filter(
    ({ Action }) => Action === 'dynamodb:Query',
  );

  const byResource = queries.map((statement) => [
    /\/index\/(\w+)/.exec(JSON.stringify(statement.Resource))?.[1] ?? 'table',
    leadingKeys(statement),
  ]);
  expect(byResource).toEqual([
    ['table', ['LEADS#*']],
    ['leadsByStage', ['STAGE#*']],
    ['leadsByOwner', ['OWNER#*']],
    ['leadsBySource', ['SOURCE#*']],
    ['leadsByUpdate', ['UPDATED#*']],
  ]);
});
