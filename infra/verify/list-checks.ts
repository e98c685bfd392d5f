import { setTimeout as pause } from 'node:timers/promises';
import { CheckError } from './check.ts';
import { expectSuccess } from './expect-reply.ts';
import { settingsIds } from './temporary-organization.ts';
import type { CheckedLead, WriteContext } from './write-context.ts';

/** DynamoDB updates an index usually within a second (developer guide, "Global secondary indexes"). */
const indexWithinMs = 15_000;
const indexPauseMs = 250;

interface Page {
  readonly items: readonly CheckedLead[];
  readonly nextCursor: number | null;
}

/** Lists by every index, by a filter and in pages. @param lead one that is in another pipeline, stage and source than all others */
export async function listChecks(context: WriteContext, lead: CheckedLead): Promise<void> {
  const { checks } = context;
  const owner = lead.assignedTo ?? 0;
  const filter = JSON.stringify([{ field: 'city', operator: 'equals', value: 'Delhi' }]);
  const lists: readonly (readonly [
    check: string,
    query: Readonly<Record<string, string | number>>,
  ])[] = [
    ['List leads by stage (index leadsByStage)', { stage_id: settingsIds.otherStage }],
    ['List leads by pipeline (index leadsByStage)', { pipeline_id: settingsIds.otherPipeline }],
    ['List leads by owner (index leadsByOwner)', { owner_id: owner }],
    ['List leads by source (index leadsBySource)', { source_id: settingsIds.otherSource }],
    [
      'List leads by their last change (index leadsByUpdate)',
      { updated_since: new Date(Date.now() - 3_600_000).toISOString() },
    ],
    ['List leads by a filter', { filter }],
  ];
  for (const [check, query] of lists)
    await checks.passes(check, () => listWith(context, query, lead.id));
  await checks.passes('List leads in pages of one', () => pagesOfOne(context, lead.id));
}

/** Lists until the lead is there: an index lags the table. */
async function listWith(
  context: WriteContext,
  query: Readonly<Record<string, string | number>>,
  leadId: number,
): Promise<string> {
  const startedAt = performance.now();
  for (;;) {
    context.checks.throwIfInterrupted();
    const { items } = await page(context, query);
    const ms = Math.round(performance.now() - startedAt);
    if (items.some(({ id }) => id === leadId))
      return `200, lead ${leadId} among ${items.length}, after ${ms} ms`;
    if (ms > indexWithinMs) {
      throw new CheckError(
        `200, but lead ${leadId} is not in the list after ${indexWithinMs / 1000} s`,
        'Is the index there, and not still being built? aws dynamodb describe-table shows it.',
      );
    }
    await pause(indexPauseMs);
  }
}

async function pagesOfOne(context: WriteContext, leadId: number): Promise<string> {
  const ids: number[] = [];
  let cursor: number | null = null;
  do {
    const found: Page = await page(context, { limit: 1, ...(cursor !== null && { cursor }) });
    ids.push(...found.items.map(({ id }) => id));
    cursor = found.nextCursor;
  } while (cursor !== null && ids.length < 20);
  const isDescending = ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0));
  if (isDescending && ids.includes(leadId)) return `200, leads ${ids.join(', ')}`;
  throw new CheckError(
    `leads ${ids.join(', ')}; expected each lead once, newest first, with lead ${leadId}`,
    'Run the command again; if it fails in the same way, report this line as a defect.',
  );
}

async function page(
  { caller, organization }: WriteContext,
  query: Readonly<Record<string, string | number>>,
): Promise<Page> {
  const reply = await caller.call('list-leads', organization.reader.key, { query });
  return expectSuccess<Page>(reply, 'list-leads', 200);
}
