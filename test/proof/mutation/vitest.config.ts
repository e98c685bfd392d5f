import { defineConfig } from 'vitest/config';

/**
 * The unit tests of rules, middleware and inputs. Excludes tests over HTTP, which call built bundles in other threads, where no mutant is
 * active. Excludes tests of the store, which take minutes and do not test rules.
 */
export default defineConfig({
  test: {
    include: ['test/{shared,contract}/**/*.test.ts'],
    exclude: ['**/*.{prove,integration,engines}.test.ts', 'test/shared/store/**'],
    isolate: false,
    testTimeout: 300_000,
  },
});
