import { beforeAll, expect, test } from 'vitest';
import type { History } from '../checker/history.ts';
import { bundleVersions, planOf, runHistory, type Versions } from '../explore/random-histories.ts';
import type { ProgramOptions } from '../lambda/modules.ts';
import { readService } from '../lambda/modules.ts';
import { type RestoreBundles, restoreTwice } from './restore-history.ts';

let versions: Versions;
beforeAll(async () => {
  versions = await bundleVersions();
}, 120_000);

/** With the SDK's whole client: a restore asks DynamoDB what it knows of a table. */
const bundleRestore = async (options: ProgramOptions = {}): Promise<RestoreBundles> => ({
  restoring: await readService(options),
  working: versions[0],
});

const known = new Map<string, Promise<History>>();

/** A random history with two administrators more, who erase leads and revoke keys. The same for each restore of it. */
function administeredHistory(seed: string): Promise<History> {
  const history = known.get(seed) ?? runAdministered(seed);
  known.set(seed, history);
  return history;
}

async function runAdministered(seed: string): Promise<History> {
  const plan = planOf(seed);
  const more = [1, 2].map((at) => ({
    name: `administrator more ${at}`,
    kind: 'administrator' as const,
    organizationId: 1,
    requests: 12,
  }));
  const { service } = await runHistory({ ...plan, clients: [...plan.clients, ...more] }, versions);
  return service.history;
}

// More: RESTORES=500 npm test -- test/simulation/restore
const histories = Number(process.env.RESTORES ?? 10);

test('a table is restored to any moment of a history, twice, whatever fails, and keeps what a restore promises', {
  timeout: 60_000 + histories * 2000,
}, async () => {
  const restoring = await bundleRestore();
  const violations: string[] = [];
  for (let at = 1; at <= histories; at += 1) {
    const seed = String(at);
    const found = await restoreTwice(seed, await administeredHistory(seed), restoring);
    violations.push(...found.map((issue) => `${seed}: ${issue}`));
  }

  expect(violations).toEqual([]);
});

const restore = 'shared/store/maintenance/restore';
const finish = `${restore}/finish-restore.ts`;
const plan = `${restore}/restore-plan.ts`;

test.each([
  [
    'does not raise the last lead ID',
    1,
    finish,
    'await passLeadId(table, organizationId, used.lastLeadId);',
    '',
  ],
  ['revokes no key', 1, finish, '|| at === null) continue;', '|| at) continue;'],
  ['revokes the keys to keep', 1, finish, 'keptKeyIds.has(keyId) ?', 'false ?'],
  [
    'does not pass the version of the old settings',
    24,
    finish,
    'Math.max(before.version, settingsVersion) + 1',
    'before.version + 1',
  ],
  [
    'skips no lead ID when the old table is lost',
    1,
    finish,
    'lastLeadId + leadIdMargin',
    'lastLeadId',
  ],
  [
    'skips lead IDs with each repeat',
    1,
    finish,
    ') return undefined; // done before',
    ') {} // done before',
  ],
  ['leaves a lead that was erased since', 1, finish, 'groupBy(erased,', 'groupBy(erased.slice(1),'],
  [
    'erases a lead that no audit log names',
    1,
    plan,
    'erasedAt > added',
    'erasedAt > added || erasedAt === 0',
  ],
  [
    'erases the person whose phone an enquiry to an erased lead submitted',
    9,
    'shared/leads/erasure/erasure.ts',
    "('changes' in entry ? entry.changes : [])",
    "('changes' in entry ? entry.changes : 'kept' in entry ? entry.kept.map(({ field, submitted }) => ({ field, from: submitted, to: null })) : [])",
  ],
  ['forgets an erasure that was under way', 3, plan, "kind?.kind === 'erasure' ||", 'false ||'],
  [
    'leaves a person in a note that was cleaned since',
    33,
    finish,
    'of plan.cleanedEntries)',
    'of plan.cleanedEntries.slice(1))',
  ],
  [
    'keeps the unique phone of a lead that is missing',
    1,
    `${restore}/mend-table.ts`,
    'if (item)',
    'if (item && false)',
  ],
  [
    'gives a lead no unique phone',
    1,
    `${restore}/mend-lead.ts`,
    'await mended.put({ ...key, leadId: reference.leadId }, namesNobodyBut(holderId));',
    '{}',
  ],
  [
    'keeps a timeline without its lead',
    1,
    `${restore}/mend-lead.ts`,
    '!lead || (isChange(entry) &&',
    'lead !== undefined && (isChange(entry) &&',
  ],
  [
    'keeps a record without its capture',
    33,
    `${restore}/mend-table.ts`,
    'if (isRecord) return mended.remove({ ...key });',
    'if (isRecord) return;',
  ],
  [
    'does not complete an API key',
    1,
    `${restore}/mend-table.ts`,
    'await mendKey(mended, key);',
    '{}',
  ],
])(
  'a restore that %s is found',
  { timeout: 120_000 },
  async (_, firstSeed, file, before, after) => {
    let isPlanted = false;
    const restoring = await bundleRestore({
      change(path, text) {
        if (path !== file) return text;
        isPlanted = text.split(before).length === 2;
        return text.replace(before, after);
      },
    });
    expect(isPlanted).toBe(true);
    const found: string[] = [];
    for (let at = firstSeed; at < firstSeed + 20 && found.length === 0; at += 1)
      found.push(
        ...(await restoreTwice(String(at), await administeredHistory(String(at)), restoring)),
      );

    expect(found).not.toEqual([]);
  },
);
