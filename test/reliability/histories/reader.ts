import { type Command, pick, type WeightedCommands } from './turn.ts';
import { ask } from './world.ts';

/** A lead that is known is found, and never as it was before what was acknowledged of it. */
const get: Command = async ({ world, random }) => {
  const { notebook, keys } = world;
  const leadId = pick(random, notebook.leadIds);
  if (leadId === undefined) return;
  const atLeast = notebook.updatedAt.get(leadId) ?? '';
  const answer = await ask(world, 'get-lead', keys.writer, { leadId }, [200, 404]);
  if (answer?.status === 404 && !notebook.archiving.has(leadId)) notebook.violations.push(`get-lead misses lead ${leadId}.`);
  if (answer?.status !== 200) return;
  const { updatedAt } = answer.body.lead;
  if (updatedAt < atLeast) notebook.violations.push(`get-lead shows lead ${leadId} of ${updatedAt}, acknowledged at ${atLeast}.`);
  notebook.saw(leadId, updatedAt);
};

const pagesMax = 50;

/** A walk shows every lead that was there when it began and that nobody archives, each once, newest first. */
const list: Command = async ({ world, random }) => {
  const { notebook, keys } = world;
  const limit = pick(random, [2, 5, 100]);
  const before = [...notebook.leadIds];
  const shown: number[] = [];
  let cursor: number | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { limit, ...(cursor !== null && { cursor }) };
    const answer = await ask(world, 'list-leads', keys.writer, { query }, [200]);
    if (answer?.status !== 200) return;
    shown.push(...answer.body.items.map(({ id }: { id: number }) => id));
    cursor = answer.body.nextCursor;
    if (cursor === null) break;
  }
  if (cursor !== null) return;
  const missed = before.filter((id) => !shown.includes(id) && !notebook.archiving.has(id));
  if (missed.length > 0) notebook.violations.push(`list-leads misses ${missed.join(', ')}.`);
  if (shown.some((id, index) => index > 0 && id >= (shown[index - 1] ?? 0))) {
    notebook.violations.push(`list-leads is out of order, or shows a lead twice: ${shown.join(', ')}.`);
  }
};

const listByStage: Command = async ({ world, random }) => {
  const stageId = pick(random, [11, 12, 21]);
  const answer = await ask(world, 'list-leads', world.keys.writer, { query: { stage_id: stageId, limit: 100 } }, [200]);
  if (answer?.status !== 200) return;
  const strays = answer.body.items.filter((lead: { stageId: number }) => lead.stageId !== stageId);
  if (strays.length > 0) world.notebook.violations.push(`list-leads by stage ${stageId} shows leads of others.`);
};

export const readerCommands: WeightedCommands = [
  [3, get],
  [2, list],
  [1, listByStage],
];
