import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { bundleFile, bundleFolder } from '../../../infra/bundle/built-functions.ts';
import { buildFunctions, functionNames } from '../../../infra/bundle/bundle.ts';
import { type LeadServiceProps, LeadsStack } from '../../../infra/stack/lead-service.ts';
import type { ReadJson } from '../../support/call.ts';

/** An app with every option on that is off by default, in an environment that may be destroyed. */
export const everyOption = {
  environment: 'test',
  domainName: 'leads.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/12345678',
  alarmEmail: 'ops@example.com',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  noCapturesHours: 72,
  heartbeat: true,
  waf: true,
  kmsKey: 'customer-managed',
  logRetentionDays: 365,
  removalPolicy: 'destroy',
  memoryMb: 512,
  memoryMbByFunction: { 'capture-lead': 2048 },
  requestsPerKeyPerHour: 100,
  requestsPerOrganizationPerHour: 200,
  requestsPerSecond: 20,
  tracing: true,
  accessLogs: true,
  events: true,
  backup: true,
  backupLock: 'compliance',
  backupCopyTo: 'arn:aws:backup:eu-west-1:123456789012:backup-vault:leads-copy',
  auditDays: 365,
  monthlyBudget: 100,
} as const satisfies LeadServiceProps;

/** The deployments whose resources and rules are checked, by what they are. */
export const variants: readonly (readonly [string, LeadServiceProps])[] = [
  ['no option set', {}],
  ['every option on', everyOption],
  [
    'an existing table with events, and a domain beside the default address',
    {
      domainName: everyOption.domainName,
      certificateArn: everyOption.certificateArn,
      keepDefaultAddress: true,
      tableName: 'leads-restored',
      events: true,
      tableStreamArn:
        'arn:aws:dynamodb:eu-central-1:123456789012:table/leads-restored/stream/2026-11-21T00:00:00.000',
      kmsKey: 'arn:aws:kms:eu-central-1:123456789012:key/12345678-aaaa',
    },
  ],
];

export interface Resource {
  readonly Type: string;
  readonly Properties: ReadJson;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

/** By logical ID. @param type of all, by default */
export const resourcesOf = (template: Template, type?: string): Record<string, Resource> =>
  type === undefined
    ? template.toJSON().Resources
    : (template.findResources(type) as Record<string, Resource>);

/** The properties of each resource of a type. */
export const propertiesOf = (template: Template, type: string): Resource['Properties'][] =>
  Object.values(resourcesOf(template, type)).map(({ Properties }) => Properties);

let built: Promise<unknown> | undefined;

/** Builds the functions unless they have been built: a template needs only the hash of a bundle, so an older one will do. */
export function functionsBuilt(): Promise<unknown> {
  const isBuilt = (name: string): boolean => existsSync(join(bundleFolder(name), bundleFile));
  built ??= functionNames().every(isBuilt) ? Promise.resolve() : buildFunctions();
  return built;
}

/** An app that does not copy the functions: half of a template's time would go into a copy of 9 MB, which no test reads. */
export const newApp = (): App => new App({ context: { [DISABLE_ASSET_STAGING_CONTEXT]: true } });

/** The app and its stack; the functions are built first. */
export async function leadsApp(
  service: LeadServiceProps = {},
): Promise<{ app: App; stack: LeadsStack }> {
  await functionsBuilt();
  const app = newApp();
  return { app, stack: new LeadsStack(app, 'LeadsStack', { service }) };
}

/** Templates as JSON, by their options. */
const synthesized = new Map<string, Promise<string>>();

/** A template of the caller's own, which it may change. */
export async function templateWith(service: LeadServiceProps = {}): Promise<Template> {
  const key = JSON.stringify(service);
  const known = synthesized.get(key) ?? synthesize(service);
  synthesized.set(key, known);
  return Template.fromJSON(JSON.parse(await known));
}

const synthesize = async (service: LeadServiceProps): Promise<string> =>
  JSON.stringify(Template.fromStack((await leadsApp(service)).stack).toJSON());
