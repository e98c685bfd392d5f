import { beforeAll, describe, expect, test } from 'vitest';
import { type EndpointName, endpoints } from '../../../shared/endpoints.ts';
import { templateWith } from '../../infra/stack/service-template.ts';
import { type IamRequest, tableArn } from './iam-request.ts';
import { publisher } from './publisher.ts';
import { recordRequests } from './recorded-requests.ts';
import { type Decision, decide, type PolicyStatement, policyOf } from './role-policies.ts';

/**
 * The roles, evaluated by a simulator of IAM on what the functions really ask of DynamoDB: every request is allowed, and nothing is
 * granted that no request needs.
 */

const names = endpoints.map(({ name }) => name);
interface Decided {
  readonly request: IamRequest;
  readonly decision: Decision;
}
let statements: ReadonlyMap<EndpointName, readonly PolicyStatement[]>;
/** Each kind of request of a function once, with what its role says. */
let decided: ReadonlyMap<EndpointName, readonly Decided[]>;
beforeAll(async () => {
  const [template, recorded] = await Promise.all([templateWith(), recordRequests()]);
  statements = new Map(names.map((name) => [name, policyOf(template, name)]));
  const all = names.map(async (name) => {
    const requests = recorded.get(name) ?? [];
    const own = requests.map(async (request) => ({
      request,
      decision: await decide(statementsOf(name), request),
    }));
    return [name, await Promise.all(own)] as const;
  });
  decided = new Map(await Promise.all(all));
}, 120_000);

const statementsOf = (name: EndpointName) => statements.get(name) ?? [];
const decidedOf = (name: EndpointName) => decided.get(name) ?? [];
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
  test('allows every request that the function sends', () => {
    const own = decidedOf(name);

    expect(own.length).toBeGreaterThan(1);
    expect(own.filter(({ decision }) => !decision.isAllowed)).toEqual([]);
  });

  test('grants nothing that no request of the function needs', () => {
    const granted = statementsOf(name).flatMap((statement) =>
      leadingKeysOf(statement).map((keys) => `${statement.Sid} ${keys}`),
    );

    const needed = decidedOf(name).flatMap(({ request, decision }) => {
      const keys = request.context['dynamodb:LeadingKeys'] ?? [];
      return decision.by.flatMap((sid) => keys.map((key) => `${sid} ${prefixOf(key)}*`));
    });

    expect([...new Set(needed)].sort()).toEqual([...new Set(granted)].sort());
  });

  test.each(limitedItems)('names no attribute of %s that no request names', (prefix) => {
    const granted = statementsOf(name)
      .filter((one) => leadingKeysOf(one).includes(`${prefix}*`))
      .flatMap(
        ({ Condition }) =>
          Condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] as string[],
      );

    const named = decidedOf(name)
      .filter(({ request }) => request.context['dynamodb:LeadingKeys']?.[0]?.startsWith(prefix))
      .flatMap(({ request }) => request.context['dynamodb:Attributes'] ?? []);

    expect([...new Set(named)].sort()).toEqual(granted.sort());
  });
});

test('what each function may do is written down', async () => {
  const lines = names.flatMap((name) => {
    const kinds = [...new Set(decidedOf(name).map(({ request }) => kindOf(request)))].sort();
    return [`## ${name}`, '', ...kinds.map((kind) => `- ${kind}`), ''];
  });
  const ofPublisher = (await publisher.requests()).map(
    ([sender, { action, resource }]) =>
      `- ${action} of ${resource === '*' ? resource : resource.split(':').slice(5).join(':')}, by ${sender}`,
  );
  const document = [
    '# What each function asks of AWS, and its role allows',
    '',
    'Recorded from the functions, and evaluated by a simulator of IAM. Of DynamoDB, nothing else is granted to the functions of endpoints;',
    'beyond DynamoDB they may only write their own log.',
    'A test compares this list: `npm test -- roles -u` writes it again.',
    '',
    ...lines,
    `## ${publisher.name}`,
    '',
    'Only with `events`. What Lambda and DynamoDB do in its name is from their documentation.',
    '',
    ...ofPublisher,
    '',
  ];

  await expect(document.join('\n')).toMatchFileSnapshot('ROLES.md');
});

const leadingKeysOf = ({ Condition }: PolicyStatement): string[] =>
  [Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string | string[]].flat();
