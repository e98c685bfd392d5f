import type { Item, KeyText } from '../dynamodb-model/dynamodb-model.ts';
import { AdministratorProcess } from './administrator-process.ts';
import type { HeldKey } from './checker/history.ts';
import type { ServicePrograms } from './lambda/modules.ts';
import { Runtime } from './lambda/runtime.ts';
import { firstKeys, firstVariant, idIn, type KeyKind, organizationIds } from './organizations.ts';
import { Simulation } from './simulation.ts';

export type OrganizationKeys = Readonly<Record<KeyKind, HeldKey>>;

/** A table with the organizations and their keys in it, to begin any number of histories with. */
export interface PreparedTable {
  readonly items: readonly { readonly key: KeyText; readonly item: Item }[];
  readonly keys: ReadonlyMap<number, OrganizationKeys>;
}

const prepared = new WeakMap<ServicePrograms, Promise<PreparedTable>>();

/** Prepared once for the code. */
export function preparedTable(bundles: ServicePrograms): Promise<PreparedTable> {
  const known = prepared.get(bundles) ?? prepare(bundles);
  prepared.set(bundles, known);
  return known;
}

async function prepare(bundles: ServicePrograms): Promise<PreparedTable> {
  const simulation = new Simulation({ seed: 'prepared' });
  const administrator = new AdministratorProcess(
    new Runtime({ name: 'preparing', network: simulation.network }),
    bundles,
  );
  const keys = new Map<number, OrganizationKeys>();
  await simulation.scheduler.run(async () => {
    for (const organizationId of organizationIds) {
      await administrator.run('settings apply', organizationId, firstVariant);
      const own: Partial<Record<KeyKind, HeldKey>> = {};
      for (const kind of Object.keys(firstKeys) as KeyKind[]) {
        const order = { ...firstKeys[kind], createdBy: idIn(organizationId, 7), label: kind };
        own[kind] = await administrator.run('key create', organizationId, order);
      }
      keys.set(organizationId, own as OrganizationKeys);
    }
  });
  const items = [...simulation.dynamodb.table('leads').all()].flatMap(({ key, current: item }) =>
    item ? [{ key, item }] : [],
  );
  return { items, keys };
}
