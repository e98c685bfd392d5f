import { inject } from 'vitest';

/** The service that the test run serves, and what its table is reached with. */
export interface RunningService {
  readonly baseUrl: string;
  /** `LEADS_TABLE` and the AWS SDK's own variables. */
  readonly environment: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    service: RunningService;
  }
}

/** The service of this test run: one per engine, shared by all test files, with a table of their own organizations. */
export const service = (): RunningService => inject('service');
