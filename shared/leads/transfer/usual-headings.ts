import { memoize } from '../../base/maps.ts';
import { comparableName } from '../../base/text.ts';
import { nearestName } from '../../organization/nearest-name.ts';
import type { Organization } from '../../organization/organization.ts';
import { activeFields } from '../fields.ts';
import { type ImportTarget, targetNamed } from './import-columns.ts';

/**
 * Common headings: from other products, in English and German, and in Hindi and Marathi in Latin letters. All words on a line mean the
 * same, and earlier words take precedence. A line refers to the field or property that is called by one of its words.
 */
const usualWords = `
name, full name, lead name, contact name, customer name, student name, display name, person, kontaktname, kundenname, vollständiger name, naam, pura naam, nav, naav, sampurna nav, purna nav
phone, mobile, mobile phone, mobile number, mobile no, phone number, phone no, primary phone, phone 1 value, cell, cell phone, telephone, telephone number, tel, contact number, contact no, contact, whatsapp, whatsapp number, whatsapp no, work phone, home phone, business phone, other phone, handy, handynummer, mobil, mobiltelefon, mobilnummer, telefon, telefonnummer, rufnummer, phone kramank, mobile kramank, durdhwani, sampark, sampark kramank, bhramandhwani
email, email address, email id, mail, mail id, primary email, work email, email 1 value, email 1, email work, mailadresse, emailadresse, email pata
created at, created, created time, create date, created date, creation date, created on, date created, creation time, enquiry date, inquiry date, date of enquiry, lead date, lead created at, submission date, submission time, lead submission time, submitted at, submitted on, submit date, timestamp, date added, added on, added time, registration date, entry date, optin time, confirm time, erstellt, erstellt am, erstellungsdatum, anfragedatum, anfrage vom, eingangsdatum, angelegt am, zeitstempel, date, datum, tarikh, taarikh, dinank
assigned to, owner, lead owner, contact owner, record owner, assignee, assigned user, counsellor, counselor, agent, sales rep, salesperson, sales person, handled by, advisor, betreuer, berater, zuständig, bearbeiter, besitzer, verantwortlich, ansprechpartner, salahkar, samupdeshak, karmachari
stage, lead stage, pipeline stage, deal stage, lifecycle stage, status, lead status, enquiry status, phase, stufe, leadstatus, sthiti, avastha
pipeline, track
source, lead source, original source, enquiry source, how did you hear about us, how did you hear, channel, quelle, leadquelle, herkunft, kanal, srot, strot, madhyam
note, notes, remark, remarks, comment, comments, message, description, enquiry, query, requirement, requirements, feedback, bemerkung, bemerkungen, notiz, notizen, kommentar, kommentare, anmerkung, anmerkungen, nachricht, tippani, tipani, shera, abhipray, sandesh
lead type, type, contact type, typ, prakar
company, company name, organization, organization name, organisation, account name, company account, employer, firma, unternehmen, sanstha
job title, designation, position, organization title, role, beruf, stellung, pad, padnaam
city, town, home city, business city, mailing city, ort, stadt, wohnort, shahar, shahr, gaon, gav
state, province, region, bundesland, rajya
country, land, desh
address, street, street address, adresse, anschrift, straße, pata, patta
postal code, zip, zip code, postcode, pincode, pin code, pin, plz, postleitzahl
website, web page, webpage, url, homepage, webseite
birthday, date of birth, dob, birth date, geburtsdatum, geburtstag, janm tithi, janma tarikh
course, course name, course interested, interested course, program, programme, kurs, studiengang, abhyaskram, pathyakram
`;

/** The parts of a name, in the order in which they are joined. */
const nameParts = `
first name, given name, forename, vorname, pehla naam, pratham nav
middle name, additional name, zweiter vorname
last name, surname, family name, nachname, familienname, upnaam, adnav, aadnav
`;

const plain = (text: string): string =>
  comparableName(text.replace(/\([^)]*\)/g, ' '))
    .normalize('NFKD')
    .replace(/[^\p{L}\p{Nd}]/gu, '');

const linesOf = (words: string): string[][] =>
  words
    .trim()
    .split('\n')
    .map((line) => line.split(', ').map(plain));
const usual = linesOf(usualWords);
const parts = linesOf(nameParts).flat();

/** Some products put the kind of record first: `Person - Phone`, `Lead: City`. */
const kinds =
  /^(?:person|contact|lead|user|customer|student|applicant|your|primary|candidate)(?=.)/;

/** What a heading usually means. */
interface UsualTarget {
  readonly target: ImportTarget;
  /** The position among the words of its line. If two columns match, the one with the lower rank wins. */
  readonly rank: number;
  /** Whether the column holds only a part of a name. */
  readonly isPart: boolean;
}

/** Fields and properties by their plain names. */
const targets = memoize((organization: Organization): ReadonlyMap<string, ImportTarget> => {
  const named = activeFields(organization).flatMap(({ key, label }) => [key, label]);
  const names = [...named, 'created at', 'stage', 'pipeline', 'note'];
  return new Map(
    names.flatMap((name) => {
      const target = targetNamed(organization, name);
      return target ? [[plain(name), target] as const] : [];
    }),
  );
});

/** The field or property that a heading means by a common word; undefined if there is none. */
export function usualTarget(organization: Organization, heading: string): UsualTarget | undefined {
  const whole = plain(heading);
  for (const word of new Set([whole, whole.replace(kinds, '')])) {
    const same = targets(organization).get(word);
    if (same) return { target: same, rank: 0, isPart: false };
    const line = usual.find((words) => words.includes(word));
    const target = line?.map((word) => targets(organization).get(word)).find((found) => found);
    if (target) return { target, rank: line?.indexOf(word) ?? 0, isPart: false };
    const name = targets(organization).get('name');
    if (name && parts.includes(word))
      return { target: name, rank: parts.indexOf(word), isPart: true };
  }
  return undefined;
}

/** The field or property whose name is nearly the heading. */
export function nearTarget(organization: Organization, heading: string): ImportTarget | undefined {
  const near = nearestName(plain(heading), [...targets(organization).keys()]);
  return near === undefined ? undefined : targets(organization).get(near);
}
