import type { TestProject } from 'vitest/node';
import { serveFor } from './engine.ts';

/** Global setup of the integration tests on DynamoDB Local. */
export default (project: TestProject): Promise<() => Promise<void>> =>
  serveFor(project, 'dynamodb-local');
