import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { FieldValues } from '../../../../shared/leads/lead.ts';
import { leadsOf } from '../../../support/leads.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';
import { json } from '../commands.ts';

export const refusedIn = async (report: string, delimiter = ',') =>
  parse(await readFile(report), { columns: true, delimiter }) as Record<string, string>[];

export const importJson = (organization: GivenOrganization, file: string, ...more: string[]) =>
  json(organization, 'lead import', file, ...more);

export const fieldsOf = async (organization: GivenOrganization): Promise<FieldValues[]> =>
  (await leadsOf(organization)).map(({ fields }) => fields);

export const countLeads = async (organization: GivenOrganization): Promise<number> =>
  (await leadsOf(organization)).length;
