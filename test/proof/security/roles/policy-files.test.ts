import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../../../support/service-process.ts';
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
  /** Of the commands' actions, those that the person may send; left out for all. */
  readonly only?: RegExp;
  /** Pages with commands of the AWS command line. */
  readonly pages?: readonly string[];
  /** What no command is found for: the requests of the CDK and of the console, and what a restore writes. */
  readonly besides?: readonly string[];
  /** The resource of an action, where it is not its service's usual one. */
  readonly own?: Readonly<Record<string, string>>;
}

/** A restore writes as its caller (DynamoDB developer guide, "Using IAM with DynamoDB backup and restore"). */
const restoreWrites = [
  'BatchWriteItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
].map((name) => `dynamodb:${name}`);
const people: readonly Person[] = [
  { file: 'deploy.json', source: [], besides: ['sts:AssumeRole'] },
  { file: 'administer.json', source: ['infra/admin', 'infra/cli', 'infra/verify', 'shared/store'] },
  {
    file: 'look.json',
    source: ['infra/admin/page', 'infra/cli/stack.ts', 'shared/store'],
    only: /:(GetItem|BatchGetItem|Query|Scan|DescribeStacks)$/,
  },
  {
    file: 'on-call.json',
    source: [],
    pages: ['infra/OPERATE.md', 'infra/stack/monitoring/ALARMS.md'],
    besides: [
      'cloudwatch:GetDashboard',
      'cloudwatch:GetMetricData',
      'logs:DescribeQueryDefinitions',
      'logs:GetQueryResults',
      'logs:StartQuery',
      ...restoreWrites,
    ],
    own: {
      ...Object.fromEntries(
        restoreWrites.map((action) => [action, arn('dynamodb', 'table/leads-restored-1')]),
      ),
      'dynamodb:RestoreTableFromBackup': arn('dynamodb', 'table/leads/backup/01'),
      'cloudwatch:GetDashboard': 'arn:aws:cloudwatch::123456789012:dashboard/crm-production',
    },
  },
];

const own: Readonly<Record<string, string>> = {
  dynamodb: arn('dynamodb', 'table/leads'),
  cloudformation: arn('cloudformation', 'stack/lead-service-production/1a2b'),
  lambda: arn('lambda', 'function:lead-service-production-ServiceListLeads-1a2b'),
  logs: arn('logs', 'log-group:lead-service-production-ServiceListLeadsLog-1a2b'),
  // Not the name of the stack: another app may have installed the package.
  cloudwatch: arn('cloudwatch', 'alarm:crm-production-ServerErrors'),
  backup: arn('backup', 'backup-vault:crm-production'),
  s3: 'arn:aws:s3:::audit-of-leads',
  sts: 'arn:aws:iam::123456789012:role/cdk-hnb659fds-deploy-role-123456789012-ap-south-1',
};
const others: Readonly<Record<string, string>> = {
  dynamodb: arn('dynamodb', 'table/others'),
  cloudformation: arn('cloudformation', 'stack/another/1a2b'),
  lambda: arn('lambda', 'function:another-function'),
  logs: arn('logs', 'log-group:another'),
  cloudwatch: arn('cloudwatch', 'alarm:another-ServerErrors'),
  'cloudwatch:GetDashboard': 'arn:aws:cloudwatch::123456789012:dashboard/another',
  backup: arn('backup', 'backup-vault:another'),
  s3: 'arn:aws:s3:::another',
  sts: 'arn:aws:iam::123456789012:role/Administrator',
};
/** They support no resource, or the list of all would be refused. */
const withoutResource: ReadonlySet<string> = new Set([
  'backup:ListBackupJobs',
  'backup:ListCopyJobs',
  'budgets:ViewBudget',
  'cloudwatch:GetMetricData',
  'cloudwatch:ListMetrics',
  'dynamodb:ListBackups',
  'logs:DescribeQueryDefinitions',
  'tag:GetResources',
  'xray:BatchGetTraces',
]);
/** Needs no permission (IAM: "sts:GetCallerIdentity"). */
const alwaysAllowed = 'sts:GetCallerIdentity';

const policyIn = (file: string): PolicyStatement[] => {
  const text = readFileSync(join(projectFolder, 'infra', 'policies', file), 'utf8')
    .replaceAll('REGION', 'ap-south-1')
    .replaceAll('ACCOUNT', '123456789012')
    .replaceAll('STACK', 'lead-service-production')
    .replaceAll('TABLE', 'leads')
    .replaceAll('SERVICE', 'crm-production')
    .replaceAll('BUCKET', 'audit-of-leads');
  return (JSON.parse(text) as { Statement: PolicyStatement[] }).Statement;
};

/** Where the service has no name of its own, actions have no resource. */
const requestOf = (action: string, arns: Readonly<Record<string, string>>): IamRequest => ({
  action,
  resource: withoutResource.has(action)
    ? '*'
    : (arns[action] ?? arns[action.split(':')[0] ?? ''] ?? '*'),
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
const drillFiles = ['shared/store/restore/copy-table.ts', 'infra/cli/table.ts'];

const sdkImport = /\{([^{}]*)\}\s*(?:from|=\s*await import\()\s*'@aws-sdk\/([\w-]+)'/g;

function actionsOf(source: readonly string[]): string[] {
  const files = source.flatMap(filesIn).filter((file) => !drillFiles.includes(file));
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

/** Commands whose action has another name. */
const otherActions: Readonly<Record<string, string>> = {
  'budgets describe-budgets': 'budgets:ViewBudget',
  'dynamodb wait': 'dynamodb:DescribeTable',
  'resourcegroupstaggingapi get-resources': 'tag:GetResources',
  's3 ls': 's3:ListBucket',
};
/** It ends a service, which is no task of a bad night. */
const endsAService = 'dynamodb:DeleteTable';

const awsCommands = /\baws (([a-z0-9]+) ([a-z0-9-]+))[^`\n]*/g;

/** The actions of the `aws` commands on pages. */
function actionsOnPages(pages: readonly string[]): string[] {
  const text = pages.map((page) => readFileSync(join(projectFolder, page), 'utf8')).join('\n');
  const actions = [...text.matchAll(awsCommands)].map(
    ([, words = '', service = '', command = '']) =>
      otherActions[words] ??
      `${service}:${command.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
  );
  return [...new Set(actions)].filter((action) => action !== endsAService);
}

test('no aws command of the runbook takes the name of the stack for that of the service', () => {
  const runbook = readFileSync(join(projectFolder, 'infra', 'OPERATE.md'), 'utf8');

  const commands = [...runbook.matchAll(awsCommands)].map(([command]) => command);

  expect(commands.length).toBeGreaterThan(15);
  expect(commands.filter((command) => /\bNAME\b/.test(command))).toEqual([]);
});

describe.each(people)(
  'the policy $file',
  ({ file, source, only = /./, pages = [], besides = [], own: special }) => {
    const statements = policyIn(file);
    const ofCommands = actionsOf(source).filter((action) => only.test(action));
    const sent = [...ofCommands, ...actionsOnPages(pages), ...besides].sort();

    test('names exactly the actions of the commands', () => {
      const named = statements.flatMap(({ Action }) => [Action].flat());

      expect(sent.length).toBeGreaterThan(source.length);
      expect([...new Set(named)].sort()).toEqual(sent);
    });

    test.each(sent)('allows %s on the service’s resources, and on nothing else', async (action) => {
      const request = requestOf(action, { ...own, ...special });
      expect((await decide(statements, request)).isAllowed).toBe(true);
      if (withoutResource.has(action)) return;
      expect((await decide(statements, requestOf(action, others))).isAllowed).toBe(false);
    });
  },
);

test.each(['administer.json', 'look.json'])('%s reaches the indexes of the table', async (file) => {
  const request = { action: 'dynamodb:Query', resource: `${own.dynamodb}/index/leadsByStage` };

  const decision = await decide(policyIn(file), { ...request, context: {} });

  expect(decision.isAllowed).toBe(true);
});

test('every policy file is known here', () => {
  expect(readdirSync(join(projectFolder, 'infra', 'policies')).sort()).toEqual([
    'administer.json',
    'check-deployment.json',
    'deploy.json',
    'look.json',
    'on-call.json',
    'read-timelines.json',
    'trust-github.json',
  ]);
});
