import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EndpointName, endpoints } from '../../../shared/endpoints.ts';
import { templateWith } from '../../infra/stack/service-template.ts';
import { type IamRequest, tableArn } from './iam-request.ts';
import { type RecordedRequests, recordRequests } from './recorded-requests.ts';
import { decide, type PolicyStatement, policyOf } from './role-policies.ts';

/**
 * The roles, evaluated by a simulator of IAM on what the functions really ask of DynamoDB: every request is allowed, and nothing is
 * granted that no request needs.
 */

const names = endpoints.map(({ name }) => name);
let template: Template;
let recorded: RecordedRequests;
beforeAll(async () => {
  [template, recorded] = await Promise.all([templateWith(), recordRequests()]);
}, 120_000);

const statementsOf = (name: EndpointName): readonly PolicyStatement[] => policyOf(template, name);
const prefixOf = (key: string): string => key.slice(0, key.indexOf('#') + 1);
/** The items whose attributes a role limits. */
const limitedItems = ['KEY#', 'USAGE#'];
/** One kind of request in words, as ROLES.md has it. */
function kindOf({ action, resource, context }: IamRequest): string {
  const prefixes = [...new Set((context['dynamodb:LeadingKeys'] ?? []).map(prefixOf))].sort();
  const attributes = limitedItems.includes(prefixes.join()) ? context['dynamodb:Attributes'] : [];
  return [
    `${action.replace('dynamodb:', '')} ${prefixes.join(' ')}`,
    ...(resource === tableArn ? [] : [`of the index ${resource.split('/').at(-1)}`]),
    ...(attributes?.length ? [`naming ${attributes.join(', ')}`] : []),
    ...(context['dynamodb:EnclosingOperation'] ? ['in a transaction'] : []),
  ].join(' ');
}

describe.each(names)('the role of %s', (name) => {
  test('allows every request that the function sends', async () => {
    const statements = statementsOf(name);
    const requests = recorded.get(name) ?? [];

    const decisions = await Promise.all(requests.map((one) => decide(statements, one)));

    expect(requests.length).toBeGreaterThan(1);
    expect(requests.filter((_, at) => !decisions[at]?.isAllowed)).toEqual([]);
  });

  test('grants nothing that no request of the function needs', async () => {
    const granted = statementsOf(name).flatMap((statement) =>
      leadingKeysOf(statement).map((keys) => `${statement.Sid} ${keys}`),
    );

    const needed = await Promise.all(
      (recorded.get(name) ?? []).map(async (request) => {
        const { by } = await decide(statementsOf(name), request);
        const keys = request.context['dynamodb:LeadingKeys'] ?? [];
        return by.flatMap((sid) => keys.map((key) => `${sid} ${prefixOf(key)}*`));
      }),
    );

    expect([...new Set(needed.flat())].sort()).toEqual([...new Set(granted)].sort());
  });
});

test('what each function may do is written down', async () => {
  const lines = names.flatMap((name) => {
    const kinds = [...new Set((recorded.get(name) ?? []).map(kindOf))].sort();
    return [`## ${name}`, '', ...kinds.map((kind) => `- ${kind}`), ''];
  });
  const document = [
    '# What each function asks of DynamoDB, and its role allows',
    '',
    'Recorded from the functions, and evaluated by a simulator of IAM; nothing else is granted.',
    'A test compares this list: `npm test -- roles -u` writes it again.',
    '',
    ...lines,
  ];

  await expect(document.join('\n')).toMatchFileSnapshot('ROLES.md');
});

const leadingKeysOf = ({ Condition }: PolicyStatement): string[] =>
  [Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string | string[]].flat();
