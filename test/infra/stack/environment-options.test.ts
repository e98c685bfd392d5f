import { describe, expect, test } from 'vitest';
import { OptionsError } from '../../../infra/stack/check-options.ts';
import { checkEnvironmentOptions } from '../../../infra/stack/environment-options.ts';

/** What the CDK app reads: the context of cdk.json, overridden by the command line. */
const optionsOf = (file: object, commandLine: object = {}) =>
  checkEnvironmentOptions({ ...file, ...commandLine }, { ...file });
const issuesOf = (file: object, commandLine: object = {}): readonly string[] => {
  try {
    optionsOf(file, commandLine);
  } catch (error) {
    if (error instanceof OptionsError) return error.issues;
    throw error;
  }
  return [];
};
const key = 'arn:aws:kms:eu-central-1:123456789012:key/1';

describe('options by environment', () => {
  test('an environment has the options of cdk.json for all, then its own, then those of the command line', () => {
    const file = {
      waf: true,
      memoryMb: 512,
      logRetentionDays: 7,
      environments: { test: { memoryMb: 256, logRetentionDays: 14 }, production: {} },
    };

    const { waf, memoryMb, logRetentionDays } = optionsOf(file, {
      environment: 'test',
      logRetentionDays: '30',
    });

    expect({ waf, memoryMb, logRetentionDays }).toEqual({
      waf: true,
      memoryMb: 256,
      logRetentionDays: 30,
    });
    expect(optionsOf(file)).toMatchObject({ environment: 'production', memoryMb: 512 });
  });

  test('a table of production in its environment is not used by a test deployment', () => {
    const file = { environments: { production: { tableName: 'leads-restored-1' }, test: {} } };

    expect(optionsOf(file).tableName).toBe('leads-restored-1');
    expect(optionsOf(file, { environment: 'test' }).tableName).toBeUndefined();
  });

  test.each([
    ['tableName', 'leads-restored-1'],
    ['domainName', 'leads.example.com'],
    ['certificateArn', 'arn:aws:acm:eu-central-1:123456789012:certificate/1'],
    ['kmsKey', key],
    ['serviceName', 'leads'],
  ])(
    '%s at the top level of cdk.json is refused for an environment of the command line',
    (name, value) => {
      expect(issuesOf({ [name]: value }, { environment: 'test' })).toEqual([
        `${name}: cdk.json sets it for every environment, test too: move it to environments.production.${name}.`,
      ]);
    },
  );

  test('tableName and environment may both be on the command line', () => {
    expect(optionsOf({}, { environment: 'test', tableName: 'leads-test' }).tableName).toBe(
      'leads-test',
    );
  });

  test('a kind of encryption that names no key may be at the top level for every environment', () => {
    expect(optionsOf({ kmsKey: 'customer-managed' }, { environment: 'test' }).kmsKey).toBe(
      'customer-managed',
    );
  });

  test('two environments cannot share a table, a domain or a service name, but may share a key', () => {
    const shared = { tableName: 'leads', kmsKey: key };

    expect(issuesOf({ environments: { production: shared, test: shared } })).toEqual([
      'environments.test.tableName: is the same as in environments.production: two environments cannot share it.',
    ]);
  });

  test('an environment that environments does not name is refused with the nearest one', () => {
    expect(
      issuesOf({ environments: { production: {}, staging: {} } }, { environment: 'stagin' }),
    ).toEqual(["environment: 'stagin': is not in environments of cdk.json: did you mean staging?"]);
  });

  test('an unknown option of an environment is refused like any other', () => {
    expect(issuesOf({ environments: { production: { waff: true } } })).toEqual([
      'waff: is not an option: did you mean waf?',
    ]);
  });

  test.each([[['production']], ['production'], [{ production: 1 }]])(
    'environments that are not options by environment are refused: %j',
    (environments) => {
      expect(issuesOf({ environments })).toEqual([
        expect.stringMatching(/^environments: must be an object of options by environment/),
      ]);
    },
  );

  test('an environment cannot name another environment', () => {
    expect(issuesOf({ environments: { production: { environment: 'test' } } })).toEqual([
      'environments.production.environment: is not allowed here: remove it.',
    ]);
  });
});
