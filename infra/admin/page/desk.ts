import type { Context } from 'hono';
import { limits } from '../../../shared/contract/limits.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError } from '../../cli/command.ts';
import { existingOrganization } from '../context.ts';

/** What every view works with. */
export interface Desk {
  readonly table: Table;
  /** The same table for reads of many items. */
  readonly pacedTable: () => Table;
  /** Who opened the page, for timelines and the audit log. */
  readonly who: () => Promise<string>;
  readonly isReadOnly: boolean;
  /** Leads per second that an import writes. */
  readonly importRate: number;
  /** What follows a command that is shown to be copied: ` --stack NAME`, or nothing. */
  readonly commandEnd: string;
  /** The address of the API; a variable's name if it is not known. */
  readonly baseUrl: string;
  /** A failure as a sentence that a person can act on. */
  readonly failureText: (error: unknown) => string;
}

type Answer = (context: Context, desk: Desk) => Response | Promise<Response>;

/** An address of the page. Its `post` is not registered with `--read-only`. */
export interface View {
  readonly path: string;
  readonly get: Answer;
  readonly post?: Answer;
  /** The most that a form sends, and what is said of more. */
  readonly bodyMax?: { readonly bytes: number; readonly sentence: string };
  /** Ends what goes on by itself. @returns how to go on, a sentence each */
  readonly stop?: () => Promise<readonly string[]>;
}

/** An address that names nothing, such as an unknown lead. */
export class NotFoundError extends CommandError {}

/** The ID in a text; undefined for any other text. */
export function idIn(text: string | undefined): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
  return id > 0 && id <= limits.idMax ? id : undefined;
}

/** The organization of an address. One consistent read. @throws NotFoundError for an unknown one */
export async function organizationAt(context: Context, { table }: Desk): Promise<Organization> {
  const id = idIn(context.req.param('organization'));
  if (id === undefined) throw new NotFoundError('There is no such page.');
  return existingOrganization(table, id).catch((error: unknown) => {
    throw error instanceof CommandError ? new NotFoundError(error.message) : error;
  });
}

/** The lead of an address, archived or not. @throws NotFoundError */
export async function leadAt(
  context: Context,
  desk: Desk,
): Promise<{ readonly organization: Organization; readonly lead: Lead }> {
  const organization = await organizationAt(context, desk);
  const id = idIn(context.req.param('lead'));
  const lead = id && (await readLead(desk.table, organization.id, id));
  if (!lead) throw new NotFoundError(`Organization ${organization.id} has no such lead.`);
  return { organization, lead };
}

/** The values of a submitted form, by input. Line breaks are those of stored texts. */
export class Form {
  readonly #values: Readonly<Record<string, unknown>>;

  private constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  static async of({ req }: Context): Promise<Form> {
    return new Form(await req.parseBody({ all: true }));
  }

  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  all(name: string): readonly string[] {
    const values = this.has(name) ? [this.#values[name]].flat() : [];
    return values.filter((value) => typeof value === 'string').map(withStoredLines);
  }

  text(name: string): string {
    return this.all(name)[0] ?? '';
  }

  /** Undefined if none was chosen. */
  file(name: string): File | undefined {
    const value = this.has(name) ? [this.#values[name]].flat()[0] : undefined;
    return value instanceof File && value.size > 0 ? value : undefined;
  }
}

/** Forms send a line break as two characters. */
export const withStoredLines = (text: string): string => text.replace(/\r\n?/g, '\n');
