import { defineConfig } from 'vitest/config';
import { writtenTag } from './written-tag.ts';

/** The contract tests against a service that runs already: `npm run verify -- … --contract`. */
export default defineConfig({
  test: {
    include: ['test/contract/**/*.{integration,engines}.test.ts'],
    globalSetup: ['test/contract/verified-service.ts'],
    maxWorkers: 2,
    tags: [writtenTag],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { DYNAMODB_TIMEOUT_MS: '5000' },
  },
});
