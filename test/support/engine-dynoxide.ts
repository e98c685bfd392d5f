import type { TestProject } from 'vitest/node';
import { serveFor } from './engine.ts';

/** Global setup of the integration tests on dynoxide. */
export default (project: TestProject): Promise<() => Promise<void>> =>
  serveFor(project, 'dynoxide');
