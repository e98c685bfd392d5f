import type { Settings } from '../../../../shared/organization/organization.ts';
import { toSettingsFile } from '../../../../shared/organization/settings.ts';
import { runAdmin } from '../../../support/admin.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';
import { useFolder } from '../../given-folder.ts';

/** @returns writes an organization's settings file after an edit; `version` is the one that the file says it has */
export function useEditedSettings() {
  const files = useFolder();
  return (
    { settings }: Pick<GivenOrganization, 'settings'>,
    edit: (draft: Settings) => void,
    version?: number,
  ): Promise<string> => {
    const draft = structuredClone(toSettingsFile(settings));
    edit(draft);
    return files.write('settings.json', { ...draft, version });
  };
}

export const apply = (file: string, ...more: string[]) =>
  runAdmin(['organization', 'apply', file, ...more]);
