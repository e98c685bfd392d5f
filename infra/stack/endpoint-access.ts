import {
  type Access,
  admissionAccess,
  admissionUntilNextRelease,
  type Endpoint,
  type ItemType,
  sequenceAttribute,
  updatableAttributes,
} from '../../shared/endpoints.ts';

/** What an endpoint needs by itself, and for admission. */
export interface EndpointAccess {
  readonly accesses: readonly Access[];
  /** The attributes that an update of an item type may name; of other item types, all. */
  readonly attributes: Partial<Record<ItemType, readonly string[]>>;
}

/** What today's code needs. */
export const usedAccess = ({ access, numbersLeads }: Endpoint): EndpointAccess => ({
  accesses: [admissionAccess, access],
  attributes: numbersLeads
    ? { ...updatableAttributes, usage: [...updatableAttributes.usage, sequenceAttribute] }
    : updatableAttributes,
});

/** What only the code of the last release needs. It runs with today's role during a release, and after a rollback. */
export const accessUntilNextRelease = (endpoint: Endpoint): EndpointAccess => ({
  accesses: [admissionUntilNextRelease.access, endpoint.accessUntilNextRelease ?? {}],
  attributes: admissionUntilNextRelease.attributes,
});

/** Both: what the role of an endpoint is granted. */
export function grantedAccess(endpoint: Endpoint): EndpointAccess {
  const used = usedAccess(endpoint);
  const kept = accessUntilNextRelease(endpoint);
  const attributes = Object.entries(used.attributes).map(([itemType, names]) => [
    itemType,
    [...new Set([...names, ...(kept.attributes[itemType as ItemType] ?? [])])],
  ]);
  return {
    accesses: [...used.accesses, ...kept.accesses],
    attributes: Object.fromEntries(attributes),
  };
}

/** The item types per action, each type once. */
export function itemTypesByAction({
  accesses,
}: EndpointAccess): [keyof Access, readonly ItemType[]][] {
  const actions = new Set(accesses.flatMap((access) => Object.keys(access) as (keyof Access)[]));
  return [...actions].map((action) => [
    action,
    [...new Set(accesses.flatMap((access) => access[action] ?? []))],
  ]);
}

/** One text per permission, such as `Query lead` and `UpdateItem usage naming used`. */
export function permissionsOf(access: EndpointAccess): string[] {
  const ofItems = itemTypesByAction(access).flatMap(([action, itemTypes]) =>
    itemTypes.map((itemType) => `${action} ${itemType}`),
  );
  const ofAttributes = Object.entries(access.attributes).flatMap(([itemType, names]) =>
    names.map((name) => `UpdateItem ${itemType} naming ${name}`),
  );
  return [...ofItems, ...ofAttributes].sort();
}
