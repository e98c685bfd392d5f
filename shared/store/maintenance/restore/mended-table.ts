import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../table/client.ts';
import { kindOf } from '../../table/item-kind.ts';
import type { Item } from '../../table/items.ts';
import type { PrimaryKey } from '../../table/primary-keys.ts';
import type { LeadPart, LeadReference } from './lead-identities.ts';

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
    await this.table.client.send(new PutCommand({ TableName: this.table.name, Item: { ...item } }));
    this.completed += 1;
    this.#noteLeadOf(item);
  }

  async remove({ pk, sk }: PrimaryKey): Promise<void> {
    await this.table.client.send(
      new DeleteCommand({ TableName: this.table.name, Key: { pk, sk } }),
    );
    this.removed += 1;
    this.#noteLeadOf({ pk, sk });
  }

  /** Gives a unique phone or email to a lead, if the item is missing or names the lead that it named when it was read. */
  async claim(
    { key, organizationId, leadId }: LeadPart,
    wrongLeadId: number | undefined,
  ): Promise<void> {
    const isDone = await unlessChanged(
      this.table.client.send(
        new PutCommand({
          TableName: this.table.name,
          Item: { pk: key.pk, sk: key.sk, leadId },
          ConditionExpression: 'attribute_not_exists(pk) OR leadId = :wrong',
          ExpressionAttributeValues: { ':wrong': wrongLeadId ?? null },
        }),
      ),
    );
    if (!isDone) return;
    this.completed += 1;
    this.#noteLead({ organizationId, leadId });
  }

  /** Removes a lead's unique phone, unique email or imported row, if it still names this lead: a delayed repeat must not remove another's. */
  async release({ key: { pk, sk }, organizationId, leadId }: LeadPart): Promise<void> {
    const isDone = await unlessChanged(
      this.table.client.send(
        new DeleteCommand({
          TableName: this.table.name,
          Key: { pk, sk },
          ConditionExpression: 'leadId = :lead',
          ExpressionAttributeValues: { ':lead': leadId },
        }),
      ),
    );
    if (!isDone) return;
    this.removed += 1;
    this.#noteLead({ organizationId, leadId });
  }

  #noteLeadOf(key: PrimaryKey): void {
    const kind = kindOf(key);
    if (kind?.kind === 'lead' || kind?.kind === 'timeline') this.#noteLead(kind);
  }

  #noteLead({ organizationId, leadId }: LeadReference): void {
    this.#leads.set(`${organizationId}/${leadId}`, { organizationId, leadId });
  }
}

async function unlessChanged(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
