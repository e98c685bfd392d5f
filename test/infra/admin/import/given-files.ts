import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll } from 'vitest';
import type { FieldValues } from '../../../../shared/leads/lead.ts';
import { adminJson } from '../../../support/admin.ts';
import { leadsOf } from '../../../support/leads.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';

let folder: string;

/** Makes a folder for the files of this test file. */
export function useGivenFiles(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'import-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
}

let files = 0;
export async function givenFile(name: string, content: string | Buffer): Promise<string> {
  files += 1;
  const file = join(folder, `${files}-${name}`);
  await writeFile(file, content);
  return file;
}

export const refusedIn = async (report: string, delimiter = ',') =>
  parse(await readFile(report), { columns: true, delimiter }) as Record<string, string>[];

export const importJson = ({ id }: GivenOrganization, file: string, ...more: string[]) =>
  adminJson('lead', 'import', '--organization', String(id), file, ...more);

export const fieldsOf = async (organization: GivenOrganization): Promise<FieldValues[]> =>
  (await leadsOf(organization)).map(({ fields }) => fields);

export const countLeads = async (organization: GivenOrganization): Promise<number> =>
  (await leadsOf(organization)).length;
