import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import type { TableEnvironment } from '../../../infra/local/table.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import type { EngineName } from '../../support/engine.ts';
import { service } from '../../support/service.ts';
import { compare } from './agreement/comparison.ts';
import { isKnownOf, knownDisagreements } from './agreement/known-disagreements.ts';

/** Each asks in a table of its own, so that all ask at once: they mostly wait for the engine. Fixed: what was found equal stays so, and a new disagreement is a change of the model or of the engine. */
const seeds = Array.from({ length: 12 }, (_, at) => String(at));
const requestsPerSeed = 150;

describe.concurrent('the simulated DynamoDB takes random requests as an engine does', () => {
  test.for(seeds)(
    'answers, errors and items are equal, but for what is listed: seed %s',
    async (seed, { task }) => {
      const client = new DynamoDBClient({
        ...clientConfig(service().environment as TableEnvironment),
        maxAttempts: 1,
      });
      const isKnown = isKnownOf(task.file.projectName as EngineName);

      const found = await compare({ client, seed, requests: requestsPerSeed, isKnown });

      client.destroy();
      expect(found).toEqual([]);
    },
  );

  test('every known disagreement says where AWS documents it', () => {
    for (const { documentation } of knownDisagreements) {
      expect(documentation).toMatch(/^https:\/\/docs\.aws\.amazon\.com\/amazondynamodb\//);
    }
  });
});
