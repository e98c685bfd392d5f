import { randomUUID } from 'node:crypto';
import { adminJson, runAdmin } from '../../support/admin.ts';
import type { GivenOrganization } from '../../support/organizations.ts';

type Organization = Pick<GivenOrganization, 'id'>;

/** The arguments of a command such as `lead erase` on an organization. */
export const commandOf = (
  { id }: Organization,
  command: string,
  ...more: readonly (string | number)[]
): string[] => [...command.split(' '), '--organization', String(id), ...more.map(String)];

/** Runs a command on an organization. */
export const run = (...command: Parameters<typeof commandOf>) => runAdmin(commandOf(...command));

/** What a command on an organization prints with `--json`. */
export const json = (...command: Parameters<typeof commandOf>) =>
  adminJson(...commandOf(...command));

export const violationsIn = async (organization: Organization): Promise<string[]> =>
  (await json(organization, 'check')).violations;

/** What the audit log says was done to an organization, newest first. */
export const doneTo = async (organization: Organization): Promise<string[]> =>
  (await json(organization, 'organization history')).items.map(
    ({ what }: { what: string }) => what,
  );

/** Captures an enquiry under an idempotency key of its own. @returns the ID of the lead */
export const captureLead = async (organization: GivenOrganization, body: object): Promise<number> =>
  (await organization.capture(body, randomUUID())).body.lead.id;
