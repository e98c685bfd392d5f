import { InvalidArgumentError } from 'commander';
import { asciiDigits, foldText } from '../../../shared/base/text.ts';
import { foundIn, typedIn } from '../../../shared/leads/erasure/erasure.ts';
import { PersonSearch } from '../../../shared/leads/erasure/person-search.ts';
import { hasEmailForm } from '../../../shared/leads/field-values.ts';
import { comparableEmail, lacksCountryCode, storedPhone } from '../../../shared/leads/identity.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { partFinder } from '../../../shared/leads/text-search.ts';
import { findLeadByIdentity } from '../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { type CountryCode, countryOption, parseText, phoneOfCountry } from '../options.ts';
import {
  formatLeads,
  printLeads,
  type SearchOptions,
  search,
  summaryOf,
  withSearchOptions,
} from './list.ts';

interface FindOptions extends SearchOptions {
  readonly phone?: string;
  readonly country?: CountryCode;
  readonly email?: string;
  readonly name?: string;
  readonly anywhere?: boolean;
}

export function leadFindCommand(lead: AdminCommand): void {
  const command = lead
    .ofOrganization('find', 'find leads by phone, email or name, archived or not')
    .option('--phone <PHONE>', 'phone number in any format, or at least 4 digits of one')
    .addOption(countryOption())
    .option(
      '--email <EMAIL>',
      'email address, in upper or lower case, or at least 3 characters of one',
      parseEmail,
    )
    .option('--name <TEXT>', 'part of the name; case and accents are ignored', parseText)
    .option('--anywhere', 'search for the phone or email also in custom fields and timelines')
    .notes(`
A whole phone or email is looked up by its key, and nothing else is read. A search by
name or by a part, or with --anywhere, reads leads, newest first, until it has found
--limit of them: one read unit per 4 KB of leads. With --anywhere, at least one read
unit more for the timeline of each lead.`)
    .examples(
      "--organization 1 --phone '+91 98200 12345'",
      '--organization 1 --name kulkarni',
      '--organization 1 --email asha@example.com --anywhere',
    )
    .refuse(usageIssue)
    .json('as lead list; by whole phone or email, without --anywhere, only the item')
    .run(find);
  withSearchOptions(command);
}

/** Fewer characters would occur in too many emails. */
export const emailCharactersMin = 3;

function parseEmail(text: string): string {
  const email = comparableEmail(text.trim());
  if ([...email].length >= emailCharactersMin) return email;
  throw new InvalidArgumentError(
    `It must be an email address, such as asha@example.com, or at least ${emailCharactersMin} characters of one.`,
  );
}

/** Fewer digits would occur in too many numbers. */
export const digitsMin = 4;

/** The digits of a typed phone, without leading zeros. */
export const digitsOf = (typed: string): string =>
  asciiDigits(typed)
    .replace(/\D/g, '')
    .replace(/^00?(?=[1-9]\d{3})/, '');

function usageIssue({ phone, email, name, country, anywhere }: FindOptions): string | false {
  if ([phone, email, name].filter((value) => value !== undefined).length !== 1)
    return 'give exactly one of --phone, --email and --name';
  if (anywhere && name !== undefined) return 'give --anywhere with --phone or --email';
  return (
    phone !== undefined &&
    phoneOfCountry(phone, country).phone === undefined &&
    digitsOf(phone).length < digitsMin &&
    `option '--phone' must be a phone number, such as +91 98200 12345, or at least ${digitsMin} digits of one`
  );
}

async function find(context: CommandContext, options: FindOptions): Promise<void> {
  const { phone: typed = '', country, email, name, anywhere = false } = options;
  const organization = await context.organization();
  const { phone: read } = phoneOfCountry(typed, country);
  const whole = email !== undefined && hasEmailForm(email) ? email : read;
  if (!anywhere) {
    const lead = await leadWith(context, [storedPhone(typed), whole]);
    if (lead)
      return context.print(
        summaryOf(lead),
        formatLeads(organization, [lead], { width: context.width }),
      );
    if (whole !== undefined) throw notFound(context.organizationId, whole, typed);
  }
  const kind = name !== undefined ? 'name' : email !== undefined ? 'email' : 'phone';
  const isNamed =
    name !== undefined ? isInName(name) : whole ? isWholeIn(whole) : isPartIn(email, typed);
  const matches = async (lead: Lead): Promise<boolean> =>
    anywhere
      ? isNamed(lead.fields) || isNamed(await typedInTimeline(context, lead))
      : isNamed(lead.fields[kind]);
  context.note(
    `Reading the leads of organization ${organization.id}, newest first, until ${countOf(options.limit, 'lead')} ${options.limit === 1 ? 'is' : 'are'} found.`,
  );
  const found = await search(context, options, matches);
  const place = anywhere ? 'that names' : `whose ${kind} contains`;
  printLeads(
    context,
    organization,
    found,
    `has no lead ${place} ${JSON.stringify(name ?? email ?? typed)}`,
  );
}

/** The lead that has one of the phones or emails. One read for each of them, and one for the lead. */
async function leadWith(
  context: CommandContext,
  identities: readonly (string | undefined)[],
): Promise<Lead | undefined> {
  const { organizationId } = context;
  for (const identity of new Set(identities)) {
    if (identity === undefined) continue;
    const isEmail = identity.includes('@');
    const person = {
      organizationId,
      phone: isEmail ? undefined : identity,
      email: isEmail ? identity : undefined,
    };
    const holder = await findLeadByIdentity(context.table(), person);
    const lead = holder && (await readLead(context.table(), organizationId, holder.leadId));
    if (lead) return lead;
  }
  return undefined;
}

function notFound(organizationId: number, identity: string, typed: string): CommandError {
  const kind = identity.includes('@') ? 'email' : 'phone';
  const more =
    kind === 'phone' && lacksCountryCode(typed, identity)
      ? ': name the country with --country, or search for the last digits'
      : '';
  return new CommandError(
    `Organization ${organizationId} has no lead with the ${kind} ${identity}${more}.`,
  );
}

type Matcher = (value: unknown) => boolean;

/** Whether a text, or any text in a list or map, matches. */
const inTexts =
  (matches: (text: string) => boolean): Matcher =>
  (value) => {
    if (typeof value === 'string') return matches(value);
    return (
      typeof value === 'object' && value !== null && Object.values(value).some(inTexts(matches))
    );
  };

export function isInName(name: string): Matcher {
  const isInText = partFinder(foldAccents(name));
  return inTexts((text) => isInText(foldAccents(text)));
}

/** Finds a whole phone or email in any spelling, even if it is encoded. */
function isWholeIn(identity: string): Matcher {
  const person = new PersonSearch([identity]);
  return (value) => foundIn(value, person).length > 0;
}

/** What people write between the digits of a phone. */
const gaps = /(?<=\d)[\s().+/_\p{Pd}]+(?=\d)/gu;

export function isPartIn(email: string | undefined, typed: string): Matcher {
  if (email !== undefined) return inTexts((text) => comparableEmail(text).includes(email));
  const digits = digitsOf(typed);
  return inTexts((text) => asciiDigits(text).replaceAll(gaps, '').includes(digits));
}

const typedInTimeline = async (context: CommandContext, { id }: Lead): Promise<unknown> =>
  (await readTimeline(context.pacedTable(), context.organizationId, id)).map(typedIn);

/** Folds `Müller` to `muller` and `Weiß` to `weiss`. Other scripts keep their marks, which are letters there. */
const foldAccents = (text: string): string =>
  foldText(text.normalize('NFD').replace(/[\u0300-\u036f]/g, ''));
