import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { LeadTable } from '../../../infra/stack/lead-table.ts';
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

const table = (): Template => {
  const stack = new Stack(new App(), 'Stack');
  new LeadTable(stack, 'Table');
  return Template.fromStack(stack);
};

/** What a role is allowed on the table once it has been granted an endpoint's access. */
function statementsFor(endpoint: Endpoint): Statement[] {
  const stack = new Stack(new App(), 'Stack');
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  new LeadTable(stack, 'Table').grantTo(role, endpoint);
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

describe('the table', () => {
  test('expires items by the attribute of the definition', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', {
      TimeToLiveSpecification: {
        AttributeName: tableDefinition.timeToLiveAttribute,
        Enabled: true,
      },
    });
  });

  test('the table can be recovered to a point in time', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  test('the table is protected from deletion', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
  });

  test('the table stays when its stack goes or replaces it', () => {
    table().hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test('a key of its own stays with the table, but goes with a first deployment that fails', () => {
    const stack = new Stack(new App(), 'Stack');
    new LeadTable(stack, 'Table', { kmsKey: 'customer-managed' });

    Template.fromStack(stack).hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test('the table is paid on demand', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', { BillingMode: 'PAY_PER_REQUEST' });
  });

  test('the table is encrypted with a key of the account', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true },
    });
  });

  test('the table has the keys of the definition', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: tableDefinition.partitionKey, KeyType: 'HASH' },
        { AttributeName: tableDefinition.sortKey, KeyType: 'RANGE' },
      ],
    });
  });

  test('the table has the indexes of the definition, keys and the size of large leads only, and no others', () => {
    table().hasResourceProperties('AWS::DynamoDB::Table', {
      GlobalSecondaryIndexes: tableDefinition.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: [
          { AttributeName: index.partitionKey, KeyType: 'HASH' },
          { AttributeName: index.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['largeKb'] },
      })),
    });
  });
});

describe('item types', () => {
  test('item types have prefixes of which none begins another, so that a role limited to one reaches no other', () => {
    const prefixes = Object.values(partitionKeyPrefixes);

    const overlaps = prefixes.filter((one, i) =>
      prefixes.some((other, j) => i !== j && other.startsWith(one)),
    );

    expect(overlaps).toEqual([]);
  });
});

describe.each(endpoints)('what $name is granted', (row) => {
  const endpoint: Endpoint = row;
  const statements = statementsFor(endpoint);

  test(`what ${row.name} is granted is what its row and admission say, action by action and prefix by prefix`, () => {
    expect(allowed(statements)).toEqual(wanted(admissionAccess, endpoint.access));
  });

  test(`what ${row.name} is granted names partition keys in every statement, and allows no request without one`, () => {
    for (const { Condition } of statements) {
      expect(Condition.Null).toMatchObject({ 'dynamodb:LeadingKeys': 'false' });
      expect(Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys']).not.toHaveLength(0);
    }
  });

  test(`what ${row.name} is granted names this table or one of its indexes, never all of them`, () => {
    expect(JSON.stringify(statements.map(({ Resource }) => Resource))).not.toContain('*');
  });

  test(`what ${row.name} is granted reaches the entries of an index by that index alone`, () => {
    const indexPrefixes = tableDefinition.indexes.map(
      ({ holds }) => `${partitionKeyPrefixes[holds]}*`,
    );

    for (const statement of statements) {
      for (const keys of leadingKeys(statement))
        expect(indexPrefixes.includes(keys)).toBe(isOnIndex(statement));
    }
  });
});

describe.each(endpoints)('the updates of token buckets by $name', (row) => {
  const endpoint: Endpoint = row;

  test('name only the attributes of a bucket and of its conditions, and some attribute', () => {
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
  });
});

describe('a function that reads', () => {
  const reading = endpoints.filter(({ method }) => method === 'GET');
  const writes = /^dynamodb:(Put|Update|Delete|BatchWrite)/;

  test.each(reading)(
    'a function that reads writes nothing but token buckets: $name',
    (endpoint) => {
      const written = allowed(statementsFor(endpoint)).filter((pair) => writes.test(pair));

      expect(written).toEqual(['dynamodb:UpdateItem KEY#*', 'dynamodb:UpdateItem USAGE#*']);
    },
  );
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

test('the grant is an allowance and never a wildcard of actions', () => {
  for (const endpoint of endpoints) {
    for (const { Effect, Action } of statementsFor(endpoint)) {
      expect(Effect).toBe('Allow');
      expect(Action).toMatch(/^dynamodb:[A-Za-z]+$/);
    }
  }
});
