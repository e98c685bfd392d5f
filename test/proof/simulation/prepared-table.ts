import type { Item, KeyText } from '../../dynamodb-model/dynamodb-model.ts';
import { plainItem } from '../../support/reference/plain.ts';
import { AdministratorProcess } from './administrator-process.ts';
import type { HeldKey, History } from './checker/history.ts';
import { readService } from './lambda/modules.ts';
import { firstKeys, firstVariant, type KeyKind, organizationIds } from './organizations.ts';
import { simulationStart } from './scheduler.ts';
import { Simulation } from './simulation.ts';

const orders = {
  ...firstKeys,
  /** The checker's own, which meets no limit and no revocation. */
  checker: { ...firstKeys.reader, expiresAt: '2030-01-01T00:00:00.000Z' },
} as const;
type KeyName = keyof typeof orders;

/** Of one organization. */
export type OrganizationKeys = Readonly<Record<KeyKind | 'checker', HeldKey>>;

/** A table, and what was observed until it was so, to begin any number of histories with. */
export interface PreparedTable extends Pick<History, 'requests' | 'actions' | 'writes'> {
  readonly keys: ReadonlyMap<number, OrganizationKeys>;
  readonly items: readonly { readonly key: KeyText; readonly item: Item }[];
}

export const itemsIn = ({ dynamodb }: Simulation): PreparedTable['items'] =>
  [...dynamodb.table('leads').all()].flatMap(({ key, current: item }) =>
    item ? [{ key, item }] : [],
  );

let prepared: Promise<PreparedTable> | undefined;

/** With two organizations and their keys. Prepared once, by the unchanged code. */
export function preparedTable(): Promise<PreparedTable> {
  prepared ??= prepareTable(() => Object.keys(orders) as KeyName[]);
  return prepared;
}

/** @param keysOf the keys that an organization has; each costs `check` six calls */
export async function prepareTable(
  keysOf: (organizationId: number) => readonly KeyName[],
): Promise<PreparedTable> {
  const simulation = new Simulation({ seed: 'prepared' });
  const administrator = new AdministratorProcess(
    { name: 'preparing', network: simulation },
    await readService(),
  );
  const keys = new Map<number, OrganizationKeys>();
  await simulation.scheduler.run(async () => {
    for (const organizationId of organizationIds) {
      await administrator.execute('settings apply', organizationId, firstVariant);
      const own: Partial<Record<KeyName, HeldKey>> = {};
      for (const kind of keysOf(organizationId)) {
        const order = { ...orders[kind], label: kind };
        own[kind] = await administrator.execute('key create', organizationId, order);
      }
      keys.set(organizationId, own as OrganizationKeys);
    }
  });
  const items = itemsIn(simulation);
  const writes = items.map(({ key, item }, order) => ({
    order,
    evaluatedOrder: order,
    at: simulationStart,
    pk: key.partition,
    sk: key.sort,
    before: undefined,
    after: plainItem(item),
    call: undefined,
    work: undefined,
  }));
  return { keys, items, requests: [], actions: [], writes };
}
