import { setArchived } from '../../../shared/store/leads/archive.ts';
import { revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { type Command, pick, type WeightedCommands } from './turn.ts';
import { type KeyKind, mintKey, settingsOf, type World } from './world.ts';

const triesUnderFaults = 3;

/** Repeats an administrator's command until it is acknowledged, at last without faults. */
async function untilDone<T>(
  { table, faultyTable }: World,
  run: (table: Table) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < triesUnderFaults; tries += 1) {
    try {
      return await run(faultyTable);
    } catch {
      // Whatever rose of the proxy's faults: what is not a fault rises again without them.
    }
  }
  return run(table);
}

const archiveOrRestore: Command = async ({ world, random }) => {
  const leadId = pick(random, world.notebook.leadIds);
  const archived = random() < 0.5;
  if (leadId === undefined) return;
  const asked = world.notebook.archivingOf(leadId);
  const count = async (table: Table) => {
    asked[archived ? 'archive' : 'restore'] += 1;
    return setArchived(table, world.organizationId, leadId, archived);
  };
  const set = await untilDone(world, count);
  asked.done += 1;
  if ((set?.lead.archivedAt !== undefined) !== archived)
    world.notebook.violations.push(`Lead ${leadId} was not archived or restored.`);
};

/** Activates or deactivates the field `wave`. One at a time: another that comes meanwhile does nothing. */
const changeSettings: Command = async ({ world }) => {
  const { wave, organizationId, notebook } = world;
  if (wave.isChanging) return;
  wave.isChanging = true;
  const settings = settingsOf(organizationId, !wave.isActive, wave.epoch + 1);
  const { version } = await untilDone(world, (table) => applySettings(table, settings));
  if (version !== world.settingsVersion + 1) {
    notebook.violations.push(
      `Settings were applied as version ${version}, after ${world.settingsVersion}.`,
    );
  }
  world.settingsVersion = version;
  wave.epoch += 1;
  wave.isActive = !wave.isActive;
  wave.isChanging = false;
};

/** Replaces a key without downtime (contract, section 5): the new one, the switch, then the end of the old one. */
const replaceKey: Command = async ({ world, random }) => {
  const { organizationId, keys, notebook } = world;
  const kind: KeyKind = pick(random, ['website', 'writer']);
  const fresh = await untilDone(world, (table) => mintKey(table, organizationId, kind));
  const old = keys[kind];
  if (old.state !== 'live') return;
  keys[kind] = fresh;
  old.state = 'revoking';
  const revokedAt = await untilDone(world, (table) =>
    revokeApiKey(table, organizationId, old.keyId),
  );
  if (revokedAt === undefined)
    notebook.violations.push('A key that was to be revoked is not there.');
  old.state = 'revoked';
  keys.retired.push(old);
};

export const administratorCommands: WeightedCommands = [
  [3, archiveOrRestore],
  [1, changeSettings],
  [1, replaceKey],
];
