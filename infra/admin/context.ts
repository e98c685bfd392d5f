import { InvalidArgumentError } from 'commander';
import { limits } from '../../shared/limits.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { loadOrganization } from '../../shared/store/organizations/organizations.ts';
import type { Table } from '../../shared/store/table/client.ts';

/** What a command works with. */
export interface CommandContext {
  /** Opened when first asked for, so that help and wrong usage need no table. @throws CommandRefused when none is named. */
  readonly table: () => Table;
  /** Prints a command's result: one JSON document with `--json`, else what `forPeople` makes of it. */
  readonly print: (result: unknown, forPeople: () => string) => void;
  /** Tells a person what is going on, beside the result. */
  readonly note: (sentence: string) => void;
  /** Shows a person how far a long command is, in one line that is written anew; without a terminal nobody sees it. */
  readonly progress: (line: string) => void;
  /** Who is at the command line, for the history: the AWS identity, else the user of this machine. */
  readonly callerIdentity: () => Promise<string>;
  /** The command answers, and what it answers is bad news: status 1. */
  readonly exitWithFailure: () => void;
}

/** A command that cannot do what it was asked, with the reason as a sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Reads an id from the command line. @throws InvalidArgumentError, which is wrong usage. */
export function parseId(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d{0,9}$/.test(text) || id > limits.idMax) {
    throw new InvalidArgumentError(`It must be an integer from 1 to ${limits.idMax}.`);
  }
  return id;
}

export const unknownOrganizationError = (table: Table, organizationId: number) =>
  new CommandError(
    `There is no organization ${organizationId} in table ${table.name}: organization list shows those there are, organization apply creates one.`,
  );

/** @throws CommandRefused for an unknown organization. */
export async function existingOrganization(table: Table, organizationId: number): Promise<Organization> {
  const organization = await loadOrganization(table, organizationId);
  if (!organization) throw unknownOrganizationError(table, organizationId);
  return organization;
}

const grouped = new Intl.NumberFormat('en');

/** A count with its noun. */
export const countOf = (count: number, one: string): string => `${grouped.format(count)} ${one}${count === 1 ? '' : 's'}`;

/**
 * A stored text as a terminal may show it: people type names and notes into public forms, and control characters could move the cursor,
 * recolour or rewrite what stands there.
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');

const cellMaxChars = 40;

/** A text on one line and of so many characters at the most; what is cut ends in `…`. */
function inOneCell(text: string, maxChars: number): string {
  const chars = [...printable(text.replace(/\s+/g, ' '))];
  return chars.length <= maxChars ? chars.join('') : `${chars.slice(0, maxChars - 1).join('')}…`;
}

/**
 * Lines up rows under their headings, two spaces between columns.
 * @param maxChars of the columns, by heading, that may be wider than 40 characters
 */
export function formatColumns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  maxChars: Readonly<Record<string, number>> = {},
): string {
  const shown = rows.map((row) => row.map((cell, column) => inOneCell(cell, maxChars[headings[column] ?? ''] ?? cellMaxChars)));
  const all = [headings, ...shown];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  const pad = (text: string, width: number): string => text + ' '.repeat(width - [...text].length);
  return all
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
