import type { Plain } from '../checker/plain.ts';
import type { Random } from '../random.ts';

/** Of a family, who use each other's. */
export const familyPhones = [1, 2, 3, 4, 5].map((at) => `+91982220000${at}`);

/** What a capture adds to the timeline of a lead: somebody used its email with a phone of the family. Undefined for its own phone. */
export function enquiryTo(lead: Plain, organizationId: number, random: Random) {
  const { phone } = lead.fields as { phone: string };
  const submitted = random.pick(familyPhones);
  const id = String(random.below(1e12)).padStart(12, '0');
  if (submitted === phone) return undefined;
  return {
    pk: `TIMELINE#${organizationId}#${Number(lead.sk)}`,
    sk: `${lead.updatedAt}#${id}`,
    at: lead.updatedAt,
    actorId: null,
    type: 'captured',
    keyId: 'k',
    keyLabel: 'website',
    source: 'Website',
    notes: 'Call at nine',
    filled: [],
    kept: [{ field: 'phone', current: phone, submitted }],
  };
}
