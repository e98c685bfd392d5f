import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../table/client.ts';
import { kindOf } from '../../table/item-kind.ts';
import type { Item } from '../../table/items.ts';
import type { PrimaryKey } from '../../table/primary-keys.ts';
import { type LeadPart, type LeadReference, nameOf, referenceOf } from './lead-in-backup.ts';

/** A restored table in which parts of transactions are completed or removed, and how many items that took. */
export class MendedTable {
  readonly table: Table;
  /** The table that was in use until now; undefined if it is lost. */
  readonly old: Table | undefined;
  completed = 0;
  removed = 0;
  /** The leads whose items these are, each once. */
  readonly #leads = new Map<string, LeadReference>();

  constructor(table: Table, old: Table | undefined) {
    this.table = table;
    this.old = old;
  }

  get leads(): LeadReference[] {
    return [...this.#leads.values()];
  }

  async put(item: Item & PrimaryKey): Promise<void> {
    const put = new PutCommand({ TableName: this.table.name, Item: { ...item } });
    await this.#count('completed', this.table.client.send(put), leadOf(item));
  }

  async remove({ pk, sk }: PrimaryKey): Promise<void> {
    const remove = new DeleteCommand({ TableName: this.table.name, Key: { pk, sk } });
    await this.#count('removed', this.table.client.send(remove), leadOf({ pk, sk }));
  }

  /** Gives a unique phone or email to a lead, if the item is missing or names the lead that it named when it was read. */
  async claim(part: LeadPart, wrongLeadId: number | undefined): Promise<void> {
    const put = new PutCommand({
      TableName: this.table.name,
      Item: { ...part.key, leadId: part.leadId },
      ConditionExpression: 'attribute_not_exists(pk) OR leadId = :wrong',
      ExpressionAttributeValues: { ':wrong': wrongLeadId ?? null },
    });
    await this.#count('completed', this.table.client.send(put), part);
  }

  /** Removes a lead's unique phone, unique email or imported row, if it still names this lead: a delayed repeat must not remove another's. */
  async release(part: LeadPart): Promise<void> {
    const remove = new DeleteCommand({
      TableName: this.table.name,
      Key: { ...part.key },
      ConditionExpression: 'leadId = :lead',
      ExpressionAttributeValues: { ':lead': part.leadId },
    });
    await this.#count('removed', this.table.client.send(remove), part);
  }

  /** Counts a write, unless its condition refused it. */
  async #count(
    counter: 'completed' | 'removed',
    write: Promise<unknown>,
    lead: LeadReference | undefined,
  ): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return;
      throw error;
    }
    this[counter] += 1;
    if (lead) this.#leads.set(nameOf(lead), referenceOf(lead));
  }
}

function leadOf(key: PrimaryKey): LeadReference | undefined {
  const kind = kindOf(key);
  return kind?.kind === 'lead' || kind?.kind === 'timeline' ? kind : undefined;
}
