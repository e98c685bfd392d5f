import { randomInt } from 'node:crypto';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { recordExpiry } from '../../../../shared/leads/idempotency.ts';
import type { FieldValues, Lead } from '../../../../shared/leads/lead.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { writeCapture } from '../../../../shared/store/leads/captures.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { nextOwner } from '../../../../shared/store/leads/rotation.ts';
import { admitOrganization } from '../../../../shared/store/organizations/admission.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import type { PrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { givenOrganizationWithoutKeys } from '../../../support/organizations.ts';

/** An organization with a key, a created and a captured lead, an advanced rotation counter, as the service writes them. */
export async function givenWorld(
  table: Table,
  organizationId = 1,
): Promise<{ settings: Settings; keyId: string; apiKey: string; leads: [Lead, Lead] }> {
  const { settings, key } = await givenOrganizationWithoutKeys({}, table, organizationId);
  const { key: apiKey, keyId } = await key({
    scopes: ['leads.write', 'leads.capture'],
    label: 'sync',
  });
  await nextOwner(table, organizationId, { rule: 'everyone', userIds: [7, 8] });
  const created = await newLead(table, organizationId, {
    course: 'mba',
    interests: ['hostel', 'loan'],
    budget: 4,
    wants_call: false,
  });
  const at = created.createdAt;
  const opening = { type: 'lead_created', at, actorId: 7, via: 'api', keyId } as const;
  await createLead(table, () => ({ lead: created, opening }));
  const captured = await newLead(table, organizationId);
  const capture = {
    organizationId,
    keyId,
    keys: [{ value: 'form-1', givenAs: 'externalId' }],
    fingerprint: 'f',
    phone: undefined,
    email: undefined,
  } as const;
  await writeCapture(table, capture, {
    outcome: 'new',
    lead: captured,
    entry: {
      type: 'captured_new',
      at: captured.createdAt,
      actorId: 7,
      keyId,
      keyLabel: 'sync',
      source: 'Website',
      filled: [],
      kept: [],
    },
    record: {
      fingerprint: 'f',
      result: { id: captured.id, created: true, updated: false },
      expiresAt: recordExpiry(new Date(captured.createdAt)),
    },
  });
  return { settings, keyId, apiKey, leads: [created, captured] };
}

async function newLead(
  table: Table,
  organizationId: number,
  more: FieldValues = {},
): Promise<Lead> {
  const admitted = await admitOrganization(table, organizationId, new Date(), true);
  if (admitted.outcome !== 'admitted') throw new Error('The organization is exhausted.');
  const digits = String(randomInt(0, 100_000_000)).padStart(8, '0');
  const at = new Date().toISOString();
  return {
    id: admitted.leadSequence,
    organizationId,
    version: 1,
    fields: {
      lead_type: 'student',
      name: 'Person',
      phone: `+9198${digits}`,
      email: `P.${digits}@example.com`,
      source: 1,
      assigned_to: 7,
      ...more,
    },
    stageId: 11,
    pipelineId: 1,
    createdAt: at,
    updatedAt: at,
  };
}

/** Damage: sets attributes of an item, null to remove one; a nested one is `fields.city`. */
export async function damage(
  table: Table,
  { pk, sk }: PrimaryKey,
  attributes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.fromEntries(
    Object.keys(attributes)
      .flatMap((path) => path.split('.'))
      .map((name) => [`#${name}`, name]),
  );
  const path = (name: string): string =>
    name
      .split('.')
      .map((step) => `#${step}`)
      .join('.');
  const entries = Object.entries(attributes).map(([name, value], index) => ({
    name: path(name),
    value,
    mark: `:v${index}`,
  }));
  const sets = entries.filter(({ value }) => value !== null);
  const removes = entries.filter(({ value }) => value === null);
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk, sk },
      UpdateExpression: [
        sets.length > 0
          ? `SET ${sets.map(({ name, mark }) => `${name} = ${mark}`).join(', ')}`
          : '',
        removes.length > 0 ? `REMOVE ${removes.map(({ name }) => name).join(', ')}` : '',
      ].join(' '),
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: names,
      ...(sets.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(sets.map(({ mark, value }) => [mark, value])),
      }),
    }),
  );
}

export const remove = (table: Table, { pk, sk }: PrimaryKey) =>
  table.client.send(
    new DeleteCommand({
      TableName: table.name,
      Key: { pk, sk },
      ConditionExpression: 'attribute_exists(pk)',
    }),
  );

export const put = (table: Table, item: Readonly<Record<string, unknown>> & PrimaryKey) =>
  table.client.send(new PutCommand({ TableName: table.name, Item: { ...item } }));

/** A table as the service leaves it: two leads of organization 1, and the keys of the first one's items. */
export interface World extends Awaited<ReturnType<typeof givenWorld>> {
  readonly table: Table;
  readonly a: Lead;
  readonly b: Lead;
  readonly key: Readonly<
    Record<
      'lead' | 'phone' | 'email' | 'record' | 'opening' | 'enquiry' | 'listing' | 'apiKey',
      PrimaryKey
    >
  >;
}

/** A rule, what breaks it in one place of a sound table, and the violations that a check then reports. */
export type Case = [
  rule: string,
  damages: (world: World) => Promise<unknown>,
  violations: (world: World) => string[],
];

/** An item as the check names it. */
export const named = ({ pk, sk }: PrimaryKey): string => `${pk} / ${sk}`;
export const stranger = '+919999999999';
