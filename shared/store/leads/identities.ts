import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { Table } from '../table/client.ts';
import { emailPrimaryKey, type PrimaryKey, phonePrimaryKey } from '../table/primary-keys.ts';
import { putIfAbsent, type TransactItem } from '../table/transact.ts';

/** The item that makes a phone unique in the organization; it exists exactly while a lead, archived or not, has it. */
export const putPhone = (table: Table, { organizationId, id }: Lead, phone: string): TransactItem =>
  putIfAbsent(table, { ...phonePrimaryKey(organizationId, phone), leadId: id });

/** The item that makes an e-mail unique in the organization, case ignored. */
export const putEmail = (table: Table, { organizationId, id }: Lead, email: string): TransactItem =>
  putIfAbsent(table, { ...emailPrimaryKey(organizationId, comparableEmail(email)), leadId: id });

/** Part of a transaction: the identity item goes, only if it names this lead. */
const deleteIdentity = (table: Table, key: PrimaryKey, { id }: Lead): TransactItem => ({
  Delete: {
    TableName: table.name,
    Key: { ...key },
    ConditionExpression: 'leadId = :lead',
    ExpressionAttributeValues: { ':lead': id },
  },
});
export const deletePhone = (table: Table, lead: Lead, phone: string): TransactItem =>
  deleteIdentity(table, phonePrimaryKey(lead.organizationId, phone), lead);
export const deleteEmail = (table: Table, lead: Lead, email: string): TransactItem =>
  deleteIdentity(table, emailPrimaryKey(lead.organizationId, comparableEmail(email)), lead);

/** Part of a transaction: a new lead's identity items. */
export function putIdentities(table: Table, lead: Lead): TransactItem[] {
  const email = emailOf(lead);
  return [putPhone(table, lead, phoneOf(lead)), ...(email === null ? [] : [putEmail(table, lead, email)])];
}

/** The keys under which a phone and an e-mail are looked up. */
export function identityPrimaryKeys(organizationId: number, phone: string | undefined, email: string | undefined): PrimaryKey[] {
  return [
    ...(phone === undefined ? [] : [phonePrimaryKey(organizationId, phone)]),
    ...(email === undefined ? [] : [emailPrimaryKey(organizationId, comparableEmail(email))]),
  ];
}
