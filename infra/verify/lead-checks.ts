import { type EndpointName, endpoints } from '../../shared/endpoints.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { expectError, expectSuccess, routeOf } from './expect-reply.ts';
import { settingsIds } from './temporary-organization.ts';
import { type CheckedLead, expectEqual, person, type WriteContext } from './write-context.ts';

/** Creates, reads, updates and refuses leads, and adds a note. @returns the lead that was created */
export async function leadChecks(context: WriteContext): Promise<CheckedLead | undefined> {
  const { checks, caller, organization } = context;
  const created = await checks.value('Create a lead: 4 items in one transaction', async () => {
    const body = { fields: { ...person(1), city: 'Pune' } };
    const reply = await caller.call('create-lead', organization.writer.key, { body });
    const { lead } = expectSuccess<{ lead: CheckedLead }>(reply, 'create-lead', 201);
    expectEqual('the lead', { ...lead }, { phone: person(1).phone, stageId: settingsIds.stage });
    return { came: `201, lead ${lead.id}, owner ${lead.assignedTo}`, value: lead };
  });
  await refusalChecks(context, created?.id);
  if (!created) return undefined;
  await updateChecks(context, created.id);
  await checks.passes('Add a note', async () => {
    const body = { text: 'A note of npm run verify.' };
    const call = { leadId: created.id, body };
    const reply = await caller.call('add-note', organization.writer.key, call);
    expectSuccess(reply, 'add-note', 201);
    return '201';
  });
  await readChecks(context, created.id);
  return created;
}

async function refusalChecks(
  { checks, caller, organization }: WriteContext,
  createdId: number | undefined,
): Promise<void> {
  const { writer, website } = organization;
  await checks.passes('A field that is missing is refused', async () => {
    const body = { fields: { name: 'Without a phone' } };
    const reply = await caller.call('create-lead', writer.key, { body });
    return expectError(reply, ['VALIDATION_FAILED'], 'create-lead');
  });
  await checks.passes('A key without the scope is refused', async () =>
    expectError(await caller.call('list-leads', website.key), ['FORBIDDEN'], 'list-leads'),
  );
  if (createdId === undefined) return;
  await checks.passes('Create the same lead again', async () => {
    const body = { fields: person(1) };
    const reply = await caller.call('create-lead', writer.key, { body });
    const came = expectError(reply, ['DUPLICATE_LEAD'], 'create-lead');
    const { details } = (reply.json as { error: { details?: object } }).error;
    expectEqual('the details', { ...details }, { leadId: createdId });
    return `${came}, leadId ${createdId}`;
  });
}

async function readChecks(
  { checks, caller, organization, table }: WriteContext,
  leadId: number,
): Promise<void> {
  await checks.passes('Read the lead', async () => {
    const reply = await caller.call('get-lead', organization.reader.key, { leadId });
    const { lead } = expectSuccess<{ lead: CheckedLead }>(reply, 'get-lead', 200);
    expectEqual('the lead', { ...lead }, { ...updated, fields: { city: 'Delhi' } });
    return '200, with every change';
  });
  await checks.passes('The timeline of the lead, in the table', async () => {
    const entries = await readTimeline(table, organization.id, leadId);
    const types = entries.map(({ type }) => type).join(', ');
    expectEqual('the timeline', { types }, { types: expectedTimeline });
    return types;
  });
}

/** The lead after all updates. */
const updated = {
  phone: person(2).phone,
  email: null,
  stageId: settingsIds.otherStage,
  pipelineId: settingsIds.otherPipeline,
  sourceId: settingsIds.otherSource,
};
const expectedTimeline =
  'lead_created, lead_updated, lead_updated, lead_updated, lead_updated, note_added';

/** Each changes other items of the table: the lead only, then its unique phone and email too. */
async function updateChecks(
  { checks, caller, organization }: WriteContext,
  leadId: number,
): Promise<void> {
  const changes: readonly (readonly [string, object])[] = [
    [
      'Update a field and the source',
      { fields: { city: 'Delhi', source: settingsIds.otherSource } },
    ],
    [
      'Update the phone and the email: both unique items are replaced',
      { fields: { phone: person(2).phone, email: person(2).email } },
    ],
    ['Clear the email: its unique item is deleted', { fields: { email: null } }],
    ['Move the lead to another pipeline', { stageId: settingsIds.otherStage }],
  ];
  for (const [check, body] of changes) {
    await checks.passes(check, async () => {
      const reply = await caller.call('update-lead', organization.writer.key, { leadId, body });
      expectSuccess(reply, 'update-lead', 200);
      return '200';
    });
  }
}

/** Every list of the organization's settings. */
export async function referenceListChecks({
  checks,
  caller,
  organization,
}: WriteContext): Promise<void> {
  const names: readonly EndpointName[] = endpoints
    .filter(({ method, path }) => method === 'GET' && !path.startsWith('/api/v1/leads'))
    .map(({ name }) => name);
  for (const name of names) {
    await checks.passes(routeOf(name), async () => {
      const reply = await caller.call(name, organization.reader.key);
      const { items } = expectSuccess<{ items: unknown[] }>(reply, name, 200);
      const { 'ratelimit-remaining': remaining } = reply.headers;
      return `200, ${items.length} items, RateLimit-Remaining ${String(remaining)}`;
    });
  }
}
