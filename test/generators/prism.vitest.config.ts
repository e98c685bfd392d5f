import { mergeConfig } from 'vitest/config';
import contractTests from '../contract/vitest.config.ts';

/** The contract tests with prism before a service that runs already: a part of `npm run generators`. */
export default mergeConfig(contractTests, {
  test: { setupFiles: ['test/generators/prism-setup.ts'] },
});
