import { Administrator } from './administrator.ts';
import type { Client, ClientOptions } from './client.ts';
import { FormBackend } from './form-backend.ts';
import { Integration } from './integration.ts';
import { SyncJob } from './sync-job.ts';

export const clientKinds = {
  'form backend': (options) => new FormBackend(options),
  integration: (options) => new Integration(options),
  'sync job': (options) => new SyncJob(options),
  administrator: (options) => new Administrator(options),
} as const satisfies Record<string, (options: ClientOptions) => Client>;
export type ClientKind = keyof typeof clientKinds;
