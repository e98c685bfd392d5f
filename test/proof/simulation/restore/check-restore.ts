import { prefixOf } from '../../../../shared/store/table/entities.ts';
import { isSame, type Plain } from '../../../support/reference/plain.ts';
import { changedTexts, keepsErased } from './changed-texts.ts';
import { type Items, itemsUnder, type RestoredItems } from './restored-table.ts';

/** What a finished restore promises (infra/OPERATE.md, "Restore"), and what of it does not hold. */
export function restoreViolations(items: RestoredItems): string[] {
  return [
    ...revokedKeys(items),
    ...erasedLeads(items),
    ...keptLeads(items),
    ...lostUse(items),
    ...changedTexts(items, erasedIn(new Map([...items.backup, ...(items.old?.before ?? [])]))),
    ...counters(items),
    ...(items.old && !isSameItems(items.old.before, items.old.after)
      ? ['The restore changed the old table.']
      : []),
  ];
}

export const isSameItems = (one: Items, other: Items): boolean =>
  one.size === other.size && [...one].every(([name, item]) => isSame(item, other.get(name)));

function revokedKeys({ backup, old, restored, keptKeyIds }: RestoredItems): string[] {
  // A backup may have only one item of a revocation: the key's or its listing.
  const revokedIds = [...backup.values()].flatMap(({ keyId, revokedAt }) =>
    revokedAt ? [keyId] : [],
  );
  return itemsUnder(restored, prefixOf('apiKey')).flatMap(([name, key]) => {
    const isLive = key.revokedAt === undefined || key.revokedAt === null;
    const mayLive = old ? !old.before.get(name)?.revokedAt : keptKeyIds.includes(String(key.keyId));
    if (isLive && (!mayLive || revokedIds.includes(key.keyId)))
      return [`The key ${key.keyId} works again.`];
    return !isLive && mayLive && !revokedIds.includes(key.keyId)
      ? [`The key ${key.keyId} was revoked by the restore.`]
      : [];
  });
}

/** The leads, as `organization#lead`, that an audit log, an erasure under way or the end of a timeline names. */
function erasedIn(items: Items): Set<string> {
  const logged = itemsUnder(items, prefixOf('auditEntry')).flatMap(([, { pk, erasedLeadId }]) =>
    erasedLeadId === undefined
      ? []
      : [`${String(pk).slice(prefixOf('auditEntry').length)}#${erasedLeadId}`],
  );
  const begun = itemsUnder(items, prefixOf('erasure')).map(
    ([, { pk, sk }]) => `${String(pk).slice(prefixOf('erasure').length)}#${Number(sk)}`,
  );
  const ended = itemsUnder(items, prefixOf('timeline')).flatMap(([, { pk, type }]) =>
    type === 'erased' ? [String(pk).slice(prefixOf('timeline').length)] : [],
  );
  return new Set([...logged, ...begun, ...ended]);
}

const leadOf = ({ pk, sk }: Plain): string =>
  `${String(pk).slice(prefixOf('lead').length)}#${Number(sk)}`;

function erasedLeads({ backup, old, restored }: RestoredItems): string[] {
  const erased = erasedIn(new Map([...backup, ...(old?.before ?? [])]));
  const leads = itemsUnder(restored, prefixOf('lead')).flatMap(([, lead]) =>
    erased.has(leadOf(lead)) ? [`The erased lead ${leadOf(lead)} is there again.`] : [],
  );
  const entries = itemsUnder(restored, prefixOf('timeline')).flatMap(([name, entry]) => {
    const versions = { before: backup.get(name), copy: old?.before.get(name), after: entry };
    return keepsErased(versions) ? [`The entry ${name} has an erased person again.`] : [];
  });
  return [...leads, ...entries];
}

/** Checks that a lead that nobody erased has all its changes, on its timeline too, and no change that it never had in this table. */
function lostUse({ backup, old, restored, used }: RestoredItems): string[] {
  const erased = erasedIn(new Map([...backup, ...(old?.before ?? [])]));
  return used.flatMap((lead) => {
    if (erased.has(leadOf(lead))) return [];
    const { city } = (restored.get(`${lead.pk} ${lead.sk}`)?.fields ?? {}) as Plain;
    const timeline = itemsUnder(restored, `${prefixOf('timeline')}${leadOf(lead)} `);
    const isTold = timeline.some(([, entry]) => JSON.stringify(entry.changes)?.includes(lead.city));
    const isAlien = timeline.some(([name]) => !backup.has(name) && old?.before.has(name));
    return [
      ...(city === lead.city && isTold ? [] : [`The lead ${leadOf(lead)} lost its last change.`]),
      ...(isAlien ? [`The timeline of lead ${leadOf(lead)} has what only the old table had.`] : []),
    ];
  });
}

function keptLeads({ backup, old, restored, used }: RestoredItems): string[] {
  const erased = erasedIn(new Map([...backup, ...(old?.before ?? [])]));
  return itemsUnder(backup, prefixOf('lead')).flatMap(([name, lead]) =>
    erased.has(leadOf(lead)) ||
    used.some(({ pk, sk }) => name === `${pk} ${sk}`) ||
    [lead, old?.before.get(name)].some((one) => one && isSameButCount(restored.get(name), one))
      ? []
      : [`The lead ${leadOf(lead)} is as it is neither in the backup nor in the old table.`],
  );
}

/** A restore counts the entries that the timeline has. */
function isSameButCount(restored: Plain | undefined, lead: Plain): boolean {
  const { version: _, ...values } = lead;
  const { version: __, ...restoredValues } = restored ?? {};
  return isSame(restoredValues, values);
}

/** Neither a lead's ID nor a version of the settings is given out again. */
function counters({ backup, old, restored }: RestoredItems): string[] {
  return itemsUnder(restored, prefixOf('usage')).flatMap(([name, usage]) => {
    const before = (old?.before ?? backup).get(name);
    const isNew = (counter: string, mayEqual: boolean): boolean =>
      Number(usage[counter]) > Number(before?.[counter] ?? 0) ||
      (mayEqual && usage[counter] === before?.[counter]);
    return [
      ...(isNew('lastLeadId', old !== undefined) ? [] : [`${name} gives out lead IDs again.`]),
      ...(isNew('settingsVersion', false) ? [] : [`${name} gives out settings versions again.`]),
    ];
  });
}
