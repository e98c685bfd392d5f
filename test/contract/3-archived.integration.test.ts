import { describe, expect, test } from 'vitest';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { givenLead, timelineOf } from '../support/leads.ts';
import { useOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { table } from '../support/table.ts';

const organization = useOrganization();

describe('3 archived leads', () => {
  const givenArchived = async () => {
    const lead = await givenLead(organization);
    await setArchived(table(), organization.id, lead.id, { archived: true });
    return lead;
  };

  test('archived leads are left out of the list, by every filter', async () => {
    const { id, assignedTo } = await givenArchived();

    for (const query of [
      {},
      { stage_id: 11 },
      { pipeline_id: 1 },
      { owner_id: assignedTo },
      { updated_since: '2026-01-01T00:00:00Z' },
    ]) {
      const { body } = await organization.list({ limit: 100, ...query });
      expect(
        body.items.map((item: { id: number }) => item.id),
        JSON.stringify(query),
      ).not.toContain(id);
    }
  });

  test('get-lead answers 404 for an archived lead until it is restored', async () => {
    const { id } = await givenArchived();

    const archived = await organization.get(id);
    await setArchived(table(), organization.id, id, { archived: false });
    const restored = await organization.get(id);

    expect([archived.status, archived.body.error.code, restored.status]).toEqual([
      404,
      'NOT_FOUND',
      200,
    ]);
  });

  test('create-lead answers 409 with the id of the archived lead that has the phone or email', async () => {
    const { id, phone } = await givenArchived();

    const { status, body } = await organization.create({ fields: { ...person(), phone } });

    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'DUPLICATE_LEAD',
      { leadId: id, field: 'phone' },
    ]);
  });

  test('an archived lead accepts an update and a note', async () => {
    const { id } = await givenArchived();

    const updated = await organization.update(id, { fields: { city: 'Kochi' } });
    const noted = await organization.note(id, { text: 'Still interested.' });

    expect([updated.status, noted.status]).toEqual([200, 201]);
    expect((await timelineOf(organization, id)).map(({ type }) => type)).toEqual([
      'lead_created',
      'archived',
      'lead_updated',
      'note_added',
    ]);
  });
});
