import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { toSettingsFile } from '../../../../shared/organization/settings.ts';
import { runAdmin } from '../../../support/admin.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';

let folder: string;
let files = 0;

/** Makes a folder for the settings of this test file. */
export function useEditedSettings(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'organization-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
}

/** The organization's settings file after an edit. @param version that the file says it has */
export async function edited(
  { settings }: Pick<GivenOrganization, 'settings'>,
  edit: (draft: Settings) => void,
  version?: number,
): Promise<string> {
  const draft = structuredClone(toSettingsFile(settings));
  edit(draft);
  files += 1;
  const file = join(folder, `${files}.json`);
  await writeFile(file, JSON.stringify({ ...draft, version }));
  return file;
}

export const apply = (file: string, ...more: string[]) =>
  runAdmin(['organization', 'apply', file, ...more]);
