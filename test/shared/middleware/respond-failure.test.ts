import { describe, expect, test } from 'vitest';
import { apiErrors } from '../../../shared/errors.ts';
import { errorResponse } from '../../../shared/middleware/respond.ts';
import { newCall } from './event.ts';
import { caller, keepLines, lines, logged } from './logged-lines.ts';

keepLines();

describe('a failure', () => {
  const person = { name: 'Asha Rao', phone: '+919876543210' };
  const cancelled = Object.assign(
    new Error('Transaction cancelled', {
      cause: Object.assign(new Error('cause'), { Item: person, config: person }),
    }),
    {
      name: 'TransactionCanceledException',
      CancellationReasons: [
        {
          Code: 'ConditionalCheckFailed',
          Item: { name: { S: 'Asha Rao' }, phone: { S: '+919876543210' } },
        },
      ],
      Item: person,
      $response: { body: person },
      body: JSON.stringify(person),
      $metadata: { requestId: 'dynamodb-1', attempts: 3, httpHeaders: person },
    },
  );

  test.each<[string, unknown]>([
    ['an error of the SDK', cancelled],
    ['a text', 'secret text'],
    ['null', null],
    [
      'an error that looks like a refusal',
      Object.assign(new Error('secret'), {
        code: 'FORBIDDEN',
        status: 403,
        details: { a: 1 },
        statusCode: 403,
      }),
    ],
  ])('%s is answered as INTERNAL and tells nothing of itself', async (_, error) => {
    const { statusCode, body, headers } = await errorResponse(newCall(), error);
    expect(statusCode).toBe(500);
    expect(JSON.parse(body)).toEqual({
      error: { code: 'INTERNAL', message: apiErrors.INTERNAL.sentence },
    });
    expect(headers).toMatchObject({ 'X-Request-Id': 'request-1' });
  });

  test('is logged whole: name, message, stack, causes, and what support at AWS asks for', async () => {
    await errorResponse(newCall('capture-lead', { caller: caller as never }), cancelled);
    expect(logged()[0]).toMatchObject({
      level: 'ERROR',
      requestId: 'request-1',
      endpoint: 'capture-lead',
      keyId: 'key-1',
      organizationId: 3,
      error: {
        name: 'TransactionCanceledException',
        message: 'Transaction cancelled',
        dynamodbRequestId: 'dynamodb-1',
        attempts: 3,
        stack: expect.stringContaining('respond-failure.test.ts'),
        cause: { message: 'cause' },
      },
    });
    expect(logged()[1]).toMatchObject({ level: 'INFO', status: 500 });
  });

  test('is logged without items, reasons, bodies or anything else of a person', async () => {
    await errorResponse(newCall(), cancelled);
    await errorResponse(newCall(), person);
    await errorResponse(newCall(), 'Asha Rao +919876543210');
    expect(lines.join('')).not.toMatch(/Asha|9876543210|CancellationReasons|"Item"|httpHeaders/);
  });

  test.each(['ThrottlingReasons', 'throttlingReasons'])(
    'of throttling is logged with resource and reason alone, from %s',
    async (name) => {
      const reason = {
        resource: 'arn:aws:dynamodb:ap-south-1:1:table/leads',
        reason: 'TableWriteMaxOnDemandThroughputExceeded',
      };
      const cause = Object.assign(new Error('too fast'), {
        [name]: [{ ...reason, item: '+919876543210' }],
      });
      await errorResponse(newCall(), new Error('throttled', { cause }));
      expect(logged()[0]?.error).toMatchObject({ cause: { throttling: [reason] } });
      expect(lines.join()).not.toContain('9876543210');
    },
  );

  test('whose causes are a circle is logged all the same', async () => {
    const error = new Error('round');
    error.cause = error;
    expect((await errorResponse(newCall(), error)).statusCode).toBe(500);
    expect(lines).toHaveLength(2);
  });
});
