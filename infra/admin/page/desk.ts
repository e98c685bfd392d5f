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
  /** The same table, paced for reads of many items. */
  readonly pacedTable: Table;
  /** Who opened the page, for timelines and the audit log. */
  readonly who: () => Promise<string>;
  readonly isReadOnly: boolean;
  /** Leads per second that an import writes. */
  readonly importRate: number;
  /** The end of commands that are shown to be copied: ` --stack NAME`, or nothing. */
  readonly commandEnd: string;
  /** The address of the API, or a variable's name if it is unknown. */
  readonly baseUrl: string;
  /** A failure as a sentence that a person can act on. */
  readonly failureText: (error: unknown) => string;
}

type Answer = Response | Promise<Response>;

/** An address of the page. Its `post` is not registered with `--read-only`. */
export interface View {
  readonly path: string;
  readonly get: (context: Context, desk: Desk) => Answer;
  readonly post?: (context: Context, desk: Desk, form: Form) => Answer;
  /** The maximum size of a form, and the sentence for a larger one. */
  readonly bodyMax?: { readonly bytes: number; readonly sentence: string };
  /** Ends work in the background. @returns sentences that say how to continue */
  readonly stop?: () => Promise<readonly string[]>;
}

/** Thrown for an address that names nothing, such as an unknown lead. */
export class NotFoundError extends CommandError {}

/** The ID in a text; undefined for any other text. */
export function idIn(text: string | undefined): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
  return id > 0 && id <= limits.idMax ? id : undefined;
}

/** The organization in an address. One consistent read. @throws NotFoundError if it is unknown */
export async function organizationAt(context: Context, { table }: Desk): Promise<Organization> {
  const id = idIn(context.req.param('organization'));
  if (id === undefined) throw new NotFoundError('There is no such page.');
  return existingOrganization(table, id).catch((error: unknown) => {
    throw error instanceof CommandError ? new NotFoundError(error.message) : error;
  });
}

/** The lead in an address, archived or not. @throws NotFoundError */
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

/** The values of a submitted form, by input, with line breaks as in stored texts. */
export class Form {
  readonly #values: Readonly<Record<string, unknown>>;

  private constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  static async of({ req }: Context): Promise<Form> {
    return new Form(await req.parseBody({ all: true }));
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
