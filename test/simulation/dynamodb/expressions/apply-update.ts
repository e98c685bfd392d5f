import {
  type AttributeValue,
  checkedValue,
  type Item,
  membersOf,
  typeOf,
} from '../attribute-values.ts';
import { invalidValue, ValidationError } from '../errors.ts';
import { addNumbers } from '../numbers.ts';
import type { Operand, Path } from './parser.ts';
import { type Placeholders, resolvedPath, valueAt } from './scope.ts';
import type { SetValue, Update, ValueAction } from './update.ts';

type MutableItem = Record<string, AttributeValue>;

const wrongType = (): ValidationError =>
  new ValidationError('An operand in the update expression has an incorrect data type');
const wrongPath = (): ValidationError =>
  new ValidationError('The document path provided in the update expression is invalid for update');

/** What an update did: the new item, and the attributes that it named. */
export interface Updated {
  readonly item: Item;
  readonly paths: readonly Path[];
}

/** Applies an update. All values are read from the item as it was. @throws ValidationError */
export function applyUpdate(update: Update, before: Item, placeholders: Placeholders): Updated {
  const edit = new Edit(before);
  const paths: Path[] = [];
  const pathOf = (path: Path): Path => {
    const resolved = resolvedPath(path, placeholders);
    paths.push(resolved);
    return resolved;
  };
  const values = update.set.map(({ value }) => evaluated(value, before, placeholders));
  for (const [at, { path }] of update.set.entries())
    edit.set(pathOf(path), values[at] as AttributeValue);
  for (const path of update.remove) edit.remove(pathOf(path));
  for (const action of update.add) edit.set(pathOf(action.path), sum(action, before, placeholders));
  for (const action of update.delete) {
    const rest = difference(action, before, placeholders);
    const path = pathOf(action.path);
    if (rest) edit.set(path, rest);
    else if (valueAt(before, path, noPlaceholders)) edit.remove(path);
  }
  return { item: edit.done(), paths };
}

const noPlaceholders: Placeholders = { names: {}, values: {} };

function evaluated(value: SetValue, item: Item, placeholders: Placeholders): AttributeValue {
  if (value.kind === 'arithmetic') {
    const [left, right] = [
      operandOf(value.left, item, placeholders),
      operandOf(value.right, item, placeholders),
    ];
    if (left.N === undefined || right.N === undefined) throw wrongType();
    return { N: addNumbers(left.N, right.N, value.sign === '+' ? 1 : -1) };
  }
  return operandOf(value, item, placeholders);
}

function operandOf(operand: Operand, item: Item, placeholders: Placeholders): AttributeValue {
  if (operand.kind === 'value')
    return checkedValue(placeholders.values[operand.name] as AttributeValue);
  if (operand.kind === 'path') {
    const value = valueAt(item, operand.path, placeholders);
    if (!value)
      throw new ValidationError(
        'The provided expression refers to an attribute that does not exist in the item',
      );
    return value;
  }
  const [first, second] = operand.operands as [Operand, Operand];
  if (operand.name === 'if_not_exists') {
    const there = first.kind === 'path' ? valueAt(item, first.path, placeholders) : undefined;
    return there ?? operandOf(second, item, placeholders);
  }
  const [one, other] = [
    operandOf(first, item, placeholders),
    operandOf(second, item, placeholders),
  ];
  if (!one.L || !other.L) throw wrongType();
  return { L: [...one.L, ...other.L] };
}

function sum({ path, value }: ValueAction, item: Item, placeholders: Placeholders): AttributeValue {
  const added = checkedValue(placeholders.values[value] as AttributeValue);
  const there = valueAt(item, path, placeholders);
  if (!there) return added;
  if (there.N !== undefined && added.N !== undefined) return { N: addNumbers(there.N, added.N) };
  if (typeOf(there) !== typeOf(added) || added.N !== undefined) throw wrongType();
  if (there.SS && added.SS) return checkedValue({ SS: [...new Set([...there.SS, ...added.SS])] });
  if (there.NS && added.NS) return checkedValue({ NS: [...new Set([...there.NS, ...added.NS])] });
  const known = membersOf(there);
  return {
    BS: [
      ...(there.BS ?? []),
      ...(added.BS ?? []).filter((one) => !known.includes(Buffer.from(one).toString('base64'))),
    ],
  };
}

/** The set without members; undefined when none is left. */
function difference(
  { path, value }: ValueAction,
  item: Item,
  placeholders: Placeholders,
): AttributeValue | undefined {
  const taken = checkedValue(placeholders.values[value] as AttributeValue);
  const there = valueAt(item, path, placeholders);
  if (!there) return undefined;
  if (typeOf(there) !== typeOf(taken)) throw wrongType();
  const gone = new Set(membersOf(taken));
  const rest = membersOf(there).filter((member) => !gone.has(member));
  if (rest.length === 0) return undefined;
  if (there.SS) return { SS: rest };
  return there.NS ? { NS: rest } : { BS: rest.map((member) => Buffer.from(member, 'base64')) };
}

/** A copy of an item that shares what is not changed. List elements go when all is done: positions mean the list as it was. */
class Edit {
  readonly #root: MutableItem;
  readonly #own = new Set<object>();
  readonly #gone = new Map<AttributeValue[], Set<number>>();

  constructor(item: Item) {
    this.#root = { ...item };
  }

  set(path: Path, value: AttributeValue): void {
    const last = path.at(-1) as string | number;
    const container = this.#container(path);
    if (Array.isArray(container)) {
      if (typeof last !== 'number') throw wrongPath();
      if (last < container.length) container[last] = value;
      else container.push(value);
    } else {
      if (typeof last === 'number') throw wrongPath();
      container[last] = value;
    }
  }

  remove(path: Path): void {
    const last = path.at(-1) as string | number;
    const container = this.#container(path);
    if (Array.isArray(container)) {
      if (typeof last !== 'number') throw wrongPath();
      if (last >= container.length) return;
      const gone = this.#gone.get(container) ?? new Set();
      this.#gone.set(container, gone.add(last));
    } else {
      if (typeof last === 'number') throw wrongPath();
      delete container[last];
    }
  }

  done(): Item {
    for (const [list, gone] of this.#gone)
      list.splice(0, list.length, ...list.filter((_, at) => !gone.has(at)));
    return this.#root;
  }

  /** The map or list that holds the last part of a path, copied. */
  #container(path: Path): MutableItem | AttributeValue[] {
    let container: MutableItem | AttributeValue[] = this.#root;
    for (const part of path.slice(0, -1)) {
      const inner = innerOf(container, part);
      if (!inner) throw wrongPath();
      const own = this.#own.has(inner) ? inner : Array.isArray(inner) ? [...inner] : { ...inner };
      this.#own.add(own);
      (container as MutableItem)[part] = Array.isArray(own) ? { L: own } : { M: own };
      container = own;
    }
    return container;
  }
}

/** The map or list under a part of a path; undefined where the path does not fit. */
function innerOf(
  container: MutableItem | AttributeValue[],
  part: string | number,
): MutableItem | AttributeValue[] | undefined {
  if (Array.isArray(container) !== (typeof part === 'number') || !Object.hasOwn(container, part))
    return undefined;
  const value = (container as MutableItem)[part];
  return (value?.M ?? value?.L) as MutableItem | AttributeValue[] | undefined;
}

/** @throws ValidationError when a key attribute is among the attributes that an update writes */
export function refuseKeyUpdate(
  update: Update,
  keyNames: readonly string[],
  placeholders: Placeholders,
): void {
  for (const { path } of [...update.set, ...update.add, ...update.delete]) refuse(path);
  for (const path of update.remove) refuse(path);

  function refuse(path: Path): void {
    const [name] = resolvedPath(path, placeholders);
    if (keyNames.includes(String(name)))
      throw invalidValue(`Cannot update attribute ${name}. This attribute is part of the key`);
  }
}
