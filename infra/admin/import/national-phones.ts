import { lacksCountryCode } from '../../../shared/leads/identity.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { countOf, printable } from '../../cli/format.ts';
import type { LeadDraft } from './drafts.ts';

/** Counts the phones that were read as Indian numbers because they have no country code: an import from another country must not do so unseen. */
export class NationalPhones {
  #count = 0;
  #example: string | undefined;

  add({ fields }: Organization, drafts: readonly LeadDraft[]): void {
    const phoneKeys = fields.filter(({ type }) => type === 'phone').map(({ key }) => key);
    for (const { input, lead } of drafts) {
      for (const key of input.isExported ? [] : phoneKeys) {
        const [text, phone] = [input.fields[key], lead.fields[key]];
        if (typeof text !== 'string' || typeof phone !== 'string') continue;
        if (!lacksCountryCode(text, phone)) continue;
        this.#count += 1;
        this.#example ??= `${printable(text.trim())} as ${phone}`;
      }
    }
  }

  lines(): string[] {
    if (this.#count === 0) return [];
    const phones = this.#count === 1 ? '1 phone has' : `${countOf(this.#count, 'phone')} have`;
    return [
      `${phones} no country code and ${this.#count === 1 ? 'is' : 'are'} read as Indian, such as ${this.#example}. Write the country code in the file if that is wrong.`,
    ];
  }
}
