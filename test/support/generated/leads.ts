import type { Lead } from '../../../shared/leads/lead.ts';
import { sampleSettings } from '../settings.ts';

/**
 * Organizations made up for listing: leads 1 to n, no gaps. A lead's values follow from its ID alone, so that every size has the same
 * shares, and a query has the same meaning in each.
 */
export const listedSettings = {
  ...sampleSettings,
  users: [7, 8, 9, 10].map((id) => ({ id, name: `Person ${id}` })),
  pipelines: [
    {
      id: 1,
      name: 'Admissions',
      order: 1,
      isDefault: true,
      stages: [11, 12, 13, 14].map((id) => ({
        id,
        name: `Stage ${id}`,
        slug: `stage-${id}`,
        order: id,
        meaning: 'open',
        isDefault: id === 11,
      })),
    },
    {
      id: 2,
      name: 'Corporate',
      order: 2,
      stages: [{ id: 21, name: 'Rare', slug: 'rare', order: 1, meaning: 'open', isDefault: true }],
    },
  ],
  sources: [1, 3, 4].map((id) => ({ id, name: `Source ${id}` })),
};

/** One lead in so many is in the rare stage, has the rare source beside owner 8, and lives in the rare city. */
export const oneIn = 10_000;
const isRare = (id: number): boolean => id % oneIn === 1;

const firstUpdate = Date.parse('2026-01-01T00:00:00Z');
/** A prime that divides no size: the leads changed last are spread evenly over all ids. */
const stride = 7919;
/** When a lead was last changed: the leads' changes follow one another by a second, in an order that has nothing to do with ids. */
const updatedAt = (id: number, leads: number): number =>
  firstUpdate + ((id * stride) % leads) * 1000;

/** The changes of an organization's leads in their order, from position 0. */
export function updatesOf(leads: number): {
  idAt: (position: number) => number;
  timeAt: (position: number) => string;
  /** The position of the first change at or after a time. */
  firstFrom: (time: string) => number;
} {
  let inverse = 1;
  while ((inverse * stride) % leads !== 1) inverse += 1;
  return {
    idAt: (position) => (position * inverse) % leads || leads,
    timeAt: (position) => new Date(firstUpdate + position * 1000).toISOString(),
    firstFrom: (time) => Math.max(0, Math.ceil((Date.parse(time) - firstUpdate) / 1000)),
  };
}

/** The `updated_since` that just so many of the organization's leads fulfil. */
export const sinceOf = (changed: number, leads: number): string =>
  new Date(firstUpdate + (leads - changed) * 1000).toISOString();

const remarks =
  'Asked for the fee structure, hostel and loan; wants a call back in the evening. '.repeat(4);

/** The lead with this id in an organization of so many; 800 bytes as DynamoDB counts them. */
export function generatedLead(organizationId: number, id: number, leads: number): Lead {
  const at = new Date(updatedAt(id, leads)).toISOString();
  return {
    id,
    organizationId,
    version: 1,
    fields: {
      name: `Lead ${id}`,
      phone: `+9190${String(id).padStart(8, '0')}`,
      email: `lead${id}@example.com`,
      lead_type: id % 5 === 0 ? 'consultant' : 'student',
      // Even IDs have owner 7, odd ones 8. Source 3 is on even IDs and on rare odd ones, so two halves meet in one lead of 10,000.
      assigned_to: id % 2 === 0 ? 7 : 8,
      source: id % 2 === 0 || isRare(id) ? 3 : 1,
      city: isRare(id) ? 'Leh' : 'Pune',
      course: id % 10 === 0 ? 'mba' : 'design',
      budget: 100_000 + (id % 1000),
      remarks,
    },
    stageId: isRare(id) ? 21 : 11 + (id % 4),
    pipelineId: isRare(id) ? 2 : 1,
    createdAt: new Date(firstUpdate).toISOString(),
    updatedAt: at,
  };
}
