import { inject } from 'vitest';

/** The service of the test run, and the variables that reach its table. */
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

/** The service of this test run: one for each engine. All test files share it; each test makes its own organization. */
export const service = (): RunningService => inject('service');
