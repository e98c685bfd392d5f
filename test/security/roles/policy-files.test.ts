import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../../support/service-process.ts';
import type { IamRequest } from './iam-request.ts';
import { arn, decide, type PolicyStatement } from './role-policies.ts';

/**
 * The policies of infra/policies for people: they allow each request that the commands can send, on the service's own resources, and name no
 * other. What the commands can send is read from their source: the commands of the AWS SDK that it imports.
 */
interface Person {
  readonly file: string;
  /** Files and folders of the commands' source. */
  readonly source: readonly string[];
  /** What no command of the SDK is imported for: the CDK's own requests. */
  readonly besides?: readonly string[];
}
const people: readonly Person[] = [
  { file: 'deploy.json', source: [], besides: ['sts:AssumeRole'] },
  { file: 'administer.json', source: ['infra/admin', 'infra/cli', 'infra/verify', 'shared/store'] },
];

const own: Readonly<Record<string, string>> = {
  dynamodb: arn('dynamodb', 'table/leads'),
  cloudformation: arn('cloudformation', 'stack/lead-service-production/1a2b'),
  lambda: arn('lambda', 'function:lead-service-production-ServiceListLeads-1a2b'),
  logs: arn('logs', 'log-group:lead-service-production-ServiceListLeadsLog-1a2b'),
  sts: 'arn:aws:iam::123456789012:role/cdk-hnb659fds-deploy-role-123456789012-ap-south-1',
};
const others: Readonly<Record<string, string>> = {
  dynamodb: arn('dynamodb', 'table/others'),
  cloudformation: arn('cloudformation', 'stack/another/1a2b'),
  lambda: arn('lambda', 'function:another-function'),
  logs: arn('logs', 'log-group:another'),
  sts: 'arn:aws:iam::123456789012:role/Administrator',
};
/** Needs no permission (IAM: "sts:GetCallerIdentity"). */
const alwaysAllowed = 'sts:GetCallerIdentity';

const policyIn = (file: string): PolicyStatement[] => {
  const text = readFileSync(join(projectFolder, 'infra', 'policies', file), 'utf8')
    .replaceAll('REGION', 'ap-south-1')
    .replaceAll('ACCOUNT', '123456789012')
    .replaceAll('STACK', 'lead-service-production')
    .replaceAll('TABLE', 'leads');
  return (JSON.parse(text) as { Statement: PolicyStatement[] }).Statement;
};

/** Where the service has no name of its own, actions have no resource. */
const requestOf = (action: string, arns: Readonly<Record<string, string>>): IamRequest => ({
  action,
  resource: arns[action.split(':')[0] ?? ''] ?? '*',
  context: {},
});

/** The document client's commands, and the parts of transactions. */
const documentActions: Readonly<Record<string, readonly string[]>> = {
  Get: ['GetItem'],
  Put: ['PutItem'],
  Update: ['UpdateItem'],
  Delete: ['DeleteItem'],
  BatchGet: ['BatchGetItem'],
  BatchWrite: ['BatchWriteItem', 'PutItem', 'DeleteItem'],
  TransactGet: ['GetItem'],
  TransactWrite: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
};
const servicePrefixes: Readonly<Record<string, string>> = {
  'client-cloudwatch-logs': 'logs',
};

function filesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(projectFolder, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(path, file));
}

/** `restore drill` makes and deletes tables, and refuses an endpoint that is not on this machine. */
const drillFile = 'shared/store/maintenance/restore/copy-table.ts';

const sdkImport = /\{([^{}]*)\}\s*(?:from|=\s*await import\()\s*'@aws-sdk\/([\w-]+)'/g;

function actionsOf(source: readonly string[]): string[] {
  const files = source.flatMap(filesIn).filter((file) => file !== drillFile);
  const actions = files.flatMap((file) => {
    const text = readFileSync(join(projectFolder, file), 'utf8');
    return [...text.matchAll(sdkImport)].flatMap(([, names = '', packageName = '']) =>
      [...names.matchAll(/\b(?:paginate(\w+)|(\w+)Command)\b/g)].flatMap(
        ([, paginated = '', command = paginated]) => {
          const service = servicePrefixes[packageName] ?? packageName.replace(/^(client|lib)-/, '');
          const known = service === 'dynamodb' ? documentActions[command] : undefined;
          return (known ?? [command]).map((action) => `${service}:${action}`);
        },
      ),
    );
  });
  return [...new Set(actions)].filter((action) => action !== alwaysAllowed).sort();
}

describe.each(people)('the policy $file', ({ file, source, besides = [] }) => {
  const statements = policyIn(file);
  const sent = [...actionsOf(source), ...besides].sort();

  test('names exactly the actions of the commands', () => {
    const named = statements.flatMap(({ Action }) => [Action].flat());

    expect(sent.length).toBeGreaterThan(source.length);
    expect([...new Set(named)].sort()).toEqual(sent);
  });

  test.each(sent)('allows %s on what the service has, and on nothing else', async (action) => {
    expect((await decide(statements, requestOf(action, own))).isAllowed).toBe(true);
    if (action === 'xray:BatchGetTraces') return; // supports no resource and no condition
    expect((await decide(statements, requestOf(action, others))).isAllowed).toBe(false);
  });
});

test('the policy for administrators reaches the indexes of the table', async () => {
  const request = { action: 'dynamodb:Query', resource: `${own.dynamodb}/index/leadsByStage` };

  const decision = await decide(policyIn('administer.json'), { ...request, context: {} });

  expect(decision.isAllowed).toBe(true);
});

test('every policy file is known here', () => {
  expect(readdirSync(join(projectFolder, 'infra', 'policies')).sort()).toEqual([
    'administer.json',
    'check-deployment.json',
    'deploy.json',
    'read-timelines.json',
    'trust-github.json',
  ]);
});
