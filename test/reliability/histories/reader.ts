import { type Command, pick, type WeightedCommands } from './turn.ts';
import { ask, stageIds, type World } from './world.ts';

/** A lead that is known is found, and never as it was before what was acknowledged of it. */
const get: Command = async ({ world, random }) => {
  const { notebook, keys } = world;
  const leadId = pick(random, notebook.leadIds);
  if (leadId === undefined) return;
  const atLeast = notebook.updatedAt.get(leadId) ?? '';
  const answer = await ask(world, 'get-lead', keys.writer, { leadId }, [200, 404]);
  if (answer?.status === 404 && !notebook.archiving.has(leadId))
    notebook.violations.push(`get-lead misses lead ${leadId}.`);
  if (answer?.status !== 200) return;
  const { updatedAt } = answer.body.lead;
  if (updatedAt < atLeast)
    notebook.violations.push(
      `get-lead shows lead ${leadId} of ${updatedAt}, acknowledged at ${atLeast}.`,
    );
  notebook.saw(leadId, updatedAt);
};

const pagesMax = 50;

/** The ids that a whole walk shows; undefined where a page failed. Out of order, or twice, is noted as a violation. */
export async function walk(
  world: World,
  asked: Readonly<Record<string, string | number>>,
): Promise<number[] | undefined> {
  const { notebook, keys } = world;
  const shown: number[] = [];
  let cursor: number | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { ...asked, ...(cursor !== null && { cursor }) };
    const answer = await ask(world, 'list-leads', keys.writer, { query }, [200]);
    if (answer?.status !== 200) return undefined;
    shown.push(...answer.body.items.map(({ id }: { id: number }) => id));
    cursor = answer.body.nextCursor;
    if (cursor === null) break;
  }
  if (cursor !== null) return undefined;
  if (shown.some((id, index) => index > 0 && id >= (shown[index - 1] ?? 0))) {
    notebook.violations.push(
      `list-leads is out of order, or shows a lead twice: ${shown.join(', ')}.`,
    );
  }
  return shown;
}

/** A walk shows every lead that was there when it began and that nobody archives, each once, newest first. */
const list: Command = async ({ world, random }) => {
  const { notebook } = world;
  const before = [...notebook.leadIds];
  const shown = await walk(world, { limit: pick(random, [2, 5, 100]) });
  const missed = before.filter((id) => !shown?.includes(id) && !notebook.archiving.has(id));
  if (shown && missed.length > 0)
    notebook.violations.push(`list-leads misses ${missed.join(', ')}.`);
};

/** A sync job: while indexes lag it may miss what is new, which a walk after the lag must show (`listFaults`). */
const sync: Command = async ({ world, random }) => {
  await walk(world, { limit: pick(random, [2, 5, 100]), updated_since: world.begunAt });
};

const listByStage: Command = async ({ world, random }) => {
  const stageId = pick(random, stageIds);
  const answer = await ask(
    world,
    'list-leads',
    world.keys.writer,
    { query: { stage_id: stageId, limit: 100 } },
    [200],
  );
  if (answer?.status !== 200) return;
  const strays = answer.body.items.filter((lead: { stageId: number }) => lead.stageId !== stageId);
  if (strays.length > 0)
    world.notebook.violations.push(`list-leads by stage ${stageId} shows leads of others.`);
};

export const readerCommands: WeightedCommands = [
  [3, get],
  [2, list],
  [1, listByStage],
  [1, sync],
];
