import type { FieldValues, Lead } from '../../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { writeCapture } from '../../../../shared/store/leads/captures.ts';
import { updateLead } from '../../../../shared/store/leads/update-lead.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { newLead } from './given-backup.ts';

const enquiry = { actorId: 7, keyLabel: 'website', source: 'Website', filled: [], kept: [] };

export async function captured(
  on: Table,
  organization: GivenOrganization,
  values: FieldValues = {},
): Promise<Lead> {
  const made = await newLead(on, organization);
  const lead = { ...made, fields: { ...made.fields, ...values } };
  const { keyId = '' } = parseApiKey(organization.website) ?? {};
  const entry: TimelineEntry = { type: 'captured_new', at: lead.createdAt, keyId, ...enquiry };
  const record = {
    fingerprint: 'f',
    result: { id: lead.id, created: true, updated: false },
    expiresAt: Date.parse(lead.createdAt) + 86_400_000,
  };
  const capture = {
    organizationId: lead.organizationId,
    keyId,
    keys: [{ value: `enquiry ${lead.id}`, givenAs: 'externalId' }],
    fingerprint: record.fingerprint,
    phone: undefined,
    email: undefined,
  } as const;
  await writeCapture(on, capture, { outcome: 'new', lead, entry, record });
  return lead;
}

export async function moved(on: Table, before: Lead): Promise<void> {
  const { phone, email } = person();
  const at = new Date(Date.parse(before.updatedAt) + 1).toISOString();
  const after = { ...before, fields: { ...before.fields, phone, email }, updatedAt: at };
  const changes = (['phone', 'email'] as const).map((field) => ({
    field,
    from: before.fields[field] ?? null,
    to: after.fields[field],
  }));
  const change = { type: 'lead_updated', via: 'admin', changes, at, actorId: null } as const;
  await updateLead(on, before, after, change);
}
