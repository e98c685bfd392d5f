import { afterEach, expect, test, vi } from 'vitest';
import { CommandContext } from '../../../infra/admin/context.ts';
import { givenLead, storedLeads } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { useFolder } from '../given-folder.ts';
import { run } from './commands.ts';

const folder = useFolder();
afterEach(() => vi.restoreAllMocks());

/** From now on, settings come so late that every time limit that began before has ended. */
function delaySettings(): void {
  const begun: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    begun.push(limit);
    return limit.signal;
  });
  const read = CommandContext.prototype.organization;
  vi.spyOn(CommandContext.prototype, 'organization').mockImplementation(async function (
    this: CommandContext,
  ) {
    const organization = await read.call(this);
    for (const limit of begun) limit.abort();
    return organization;
  });
}

test.each([
  ['lead reassign', '--from', '7', '--to', '8', '--yes'],
  ['lead edit', '--lead', '1', '--set', 'city=Goa'],
  ['lead import', 'FILE'],
  ['lead import --update', 'FILE'],
])('%s writes nothing by settings that came too late', async (command, ...args) => {
  const organization = await givenOrganization();
  const lead = await givenLead(organization, { fields: { assigned_to: 7 } });
  const { phone } = command.includes('--update') ? lead : person();
  const file = await folder.write('leads.csv', `name,phone,city\nSomebody,${phone},Pune\n`);
  const before = await storedLeads(organization);
  delaySettings();

  const { status, stderr } = await run(
    organization,
    command,
    ...args.map((text) => (text === 'FILE' ? file : text)),
  );

  expect([status, stderr]).toEqual([1, expect.stringMatching(/^DynamoDB .* in time at /)]);
  expect(await storedLeads(organization)).toEqual(before);
});
