import { describe, expect, inject, test } from 'vitest';
import { compare } from './agreement/comparison.ts';
import { isKnownOf, knownDisagreements } from './agreement/known-disagreements.ts';

/** Each asks in a table of its own, so that all ask at once: they mostly wait for the engine. Fixed: what was found equal stays so, and a new disagreement is a change of the model or of the engine. */
const seeds = Array.from({ length: 12 }, (_, at) => at);
const requestsPerSeed = 150;

describe.concurrent('the simulated DynamoDB handles random requests like an engine', () => {
  test.for(seeds)(
    'responses, errors and items are equal, except for listed differences: seed %s',
    async (seed) => {
      // The engine of this test run, which the project's global setup provides.
      const { engine, environment } = inject('service');
      const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '' } = environment;
      const isKnown = isKnownOf(engine);

      const found = await compare({ endpoint, seed, requests: requestsPerSeed, isKnown });

      expect(found).toEqual([]);
    },
  );

  test('every known disagreement names AWS’s documentation', () => {
    for (const { documentation } of knownDisagreements)
      expect(documentation).toMatch(/^https:\/\/docs\.aws\.amazon\.com\/amazondynamodb\//);
  });
});
