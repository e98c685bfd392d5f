import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { expect, test } from 'vitest';
import type { LeadServiceProps } from '../../../infra/stack/lead-service.ts';
import { optionNames } from '../../../infra/stack/service-options.ts';
import { everyOption, type Resource, resourcesOf, templateWith } from './service-template.ts';

/**
 * CloudFormation creates the new resource of a replacement before it deletes the old one. Under the same name that fails, and the whole
 * release is rolled back. Which changes replace a resource is in CloudFormation's resource schemas, which the CDK publishes.
 */

const givenTable = {
  tableName: 'leads-restored',
  kmsKey: 'arn:aws:kms:eu-central-1:123456789012:key/12345678-aaaa',
  removalPolicy: 'retain',
} as const;
const streamArn = (label: string): string =>
  `arn:aws:dynamodb:eu-central-1:123456789012:table/leads-restored/stream/${label}`;

/** A change of each option, on a service that has every option. */
const changes: { readonly [name in keyof Required<LeadServiceProps>]: LeadServiceProps } = {
  environment: { environment: 'acceptance' },
  account: { account: '123456789012' },
  serviceName: { serviceName: 'leads-of-northwind' },
  domainName: { domainName: 'crm.example.com' },
  keepDefaultAddress: { keepDefaultAddress: true },
  certificateArn: { certificateArn: `${everyOption.certificateArn}-aaaa` },
  alarmEmail: { alarmEmail: 'on-call@example.com' },
  alarmTopicArn: { alarmTopicArn: `${everyOption.alarmTopicArn}-of-others` },
  noCapturesHours: { noCapturesHours: 24 },
  heartbeat: { heartbeat: false },
  waf: { waf: false },
  kmsKey: { kmsKey: 'aws-managed' },
  logRetentionDays: { logRetentionDays: 90 },
  removalPolicy: { removalPolicy: 'retain' },
  memoryMb: { memoryMb: 1024 },
  memoryMbByFunction: { memoryMbByFunction: { 'list-leads': 2048 } },
  requestsPerKeyPerHour: { requestsPerKeyPerHour: 150 },
  requestsPerOrganizationPerHour: { requestsPerOrganizationPerHour: 5000 },
  requestsPerSecond: { requestsPerSecond: 40 },
  tracing: { tracing: false },
  accessLogs: { accessLogs: false },
  events: { events: false },
  backup: { backup: false, backupLock: undefined, backupCopyTo: undefined },
  backupLock: { backupLock: 'governance' },
  backupCopyTo: { backupCopyTo: `${everyOption.backupCopyTo}-2` },
  auditDays: { auditDays: 90 },
  monthlyBudget: { monthlyBudget: 200 },
  tableName: { ...givenTable, tableStreamArn: streamArn('2026') },
  tableStreamArn: { ...givenTable, tableStreamArn: streamArn('2027') },
};

const spec = loadAwsServiceSpecSync();
const createOnly = new Map<string, ReadonlySet<string>>();

/** The properties of a type with which CloudFormation replaces a resource. */
function createOnlyOf(type: string): ReadonlySet<string> {
  const known = createOnly.get(type);
  if (known) return known;
  const { properties } = spec.lookup('resource', 'cloudFormationType', 'equals', type).only();
  const names = Object.keys(properties).filter(
    (name) => !['no', undefined].includes(properties[name]?.causesReplacement),
  );
  createOnly.set(type, new Set(names));
  return new Set(names);
}

/** The names in a resource's properties, `BudgetName` of a budget included, that no other resource of the template makes. */
function namesOf({ Type, Properties = {} }: Resource): string[] {
  const nested = Object.values(Properties).filter((value) => Object(value) === value);
  return [Properties, ...nested]
    .flatMap((part) => Object.entries(part))
    .filter(
      ([key, value]) =>
        /Name$/.test(key) &&
        key !== 'MetricName' &&
        !/"(Ref|Fn::GetAtt)":(?!"AWS::)/.test(JSON.stringify(value)),
    )
    .map(([key, value]) => `${Type} ${key} ${JSON.stringify(value)}`);
}

type Resources = Readonly<Record<string, Resource>>;

/** The names that CloudFormation would have to give to a second resource while the first one still has them. */
function namesTakenTwice(before: Resources, after: Resources): string[] {
  const isSame = (id: string): boolean => {
    const [old, { Type, Properties } = {}] = [before[id], after[id]];
    if (old === undefined || Type !== old.Type) return false;
    return [...createOnlyOf(Type)].every(
      (name) => JSON.stringify(old.Properties?.[name]) === JSON.stringify(Properties?.[name]),
    );
  };
  const goneOrReplaced = Object.keys(before).filter((id) => !isSame(id));
  const taken = new Set(goneOrReplaced.flatMap((id) => namesOf(before[id]!)));
  const created = Object.keys(after).filter((id) => !isSame(id));
  return created.flatMap((id) => namesOf(after[id]!).filter((name) => taken.has(name)));
}

test.each(optionNames)(
  'a change of %s, back or forth, gives no name to a second resource',
  async (name) => {
    const before = resourcesOf(await templateWith(everyOption));
    const after = resourcesOf(await templateWith({ ...everyOption, ...changes[name] }));

    expect(JSON.stringify(after) === JSON.stringify(before)).toBe(name === 'account');
    expect(namesTakenTwice(before, after)).toEqual([]);
    expect(namesTakenTwice(after, before)).toEqual([]);
  },
);

test('a topic that keeps its name while its kind changes is found, so the check above does look', () => {
  const topic = (FifoTopic: boolean) => ({
    T: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'alarms', FifoTopic } },
  });

  expect(namesTakenTwice(topic(false), topic(true))).toEqual([
    'AWS::SNS::Topic TopicName "alarms"',
  ]);
  expect(namesTakenTwice(topic(false), topic(false))).toEqual([]);
});
