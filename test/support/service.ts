import { inject } from 'vitest';
import type { EngineKind } from '../../infra/local/dynoxide.ts';

/** The service of the test run, and the variables that reach its table. */
export interface RunningService {
  readonly baseUrl: string;
  /** `LEADS_TABLE` and the AWS SDK's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined for a service that the test run did not start. */
  readonly engine?: EngineKind['name'];
}

declare module 'vitest' {
  export interface ProvidedContext {
    service: RunningService;
  }
}

let own: RunningService | undefined;

/** Replaces the service of the test run in this test file; undefined ends that. */
export function setService(running: RunningService | undefined): void {
  own = running;
}

/** Whether the tests of other files use the same table. */
export const isTableShared = (): boolean => own === undefined;

/**
 * The service of this test run: one for each engine. All test files share it, unless they use a table of their own; each test makes its own
 * organization.
 */
export const service = (): RunningService => own ?? inject('service');
