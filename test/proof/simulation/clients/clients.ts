import type { Random } from '../../../support/generated/random.ts';
import type { ClientKind, Plan } from '../explore/plan.ts';
import { organizationIds } from '../organizations.ts';
import { Administrator } from './administrator.ts';
import {
  type Client,
  type ClientOptions,
  type ClientService,
  type SharedKnowledge,
  sharedKnowledge,
} from './client.ts';
import { FormBackend } from './form-backend.ts';
import { Integration } from './integration.ts';
import { SyncJob } from './sync-job.ts';

const clientKinds: Record<ClientKind, (options: ClientOptions) => Client> = {
  'form backend': (options) => new FormBackend(options),
  integration: (options) => new Integration(options),
  'sync job': (options) => new SyncJob(options),
  administrator: (options) => new Administrator(options),
};

/** The clients of a plan; those of one organization share what they know of it. */
export function clientsOf(
  { clients, people, isHasty }: Plan,
  service: ClientService,
  randomFor: (name: string) => Random,
): Client[] {
  const knowledge = new Map<number, SharedKnowledge>(
    organizationIds.map((id) => [id, sharedKnowledge(service, id, people)]),
  );
  return clients.map(({ kind, organizationId, name, requests }) => {
    const shared = knowledge.get(organizationId) as SharedKnowledge;
    const random = randomFor(name);
    return clientKinds[kind]({ service, shared, name, requests, isHasty, random });
  });
}
