import { defineConfig } from 'vitest/config';

/**
 * The unit tests of rules, middleware and inputs. No mutant is active in tests over HTTP, which call built bundles in other threads; those of
 * the store take minutes, and prove how rules are stored.
 */
export default defineConfig({
  test: {
    include: ['test/{shared,contract}/**/*.test.ts'],
    exclude: ['**/*.{prove,integration,engines}.test.ts', 'test/shared/store/**'],
    isolate: false,
    testTimeout: 300_000,
  },
});
