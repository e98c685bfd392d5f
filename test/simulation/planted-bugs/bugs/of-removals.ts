import type { PlantedBug } from '../planted-bug.ts';

const file = 'shared/store/organizations/apply-settings.ts';
const foundBy =
  'A source is not removed, since an enquiry took it meanwhile, and all is as before or as others applied';

export const bugsOfRemovals: readonly PlantedBug[] = [
  {
    name: 'refused removal not taken back',
    file,
    before:
      'if (error instanceof SettingsRejectedError && last) await revert(table, last, options);',
    after: '',
    how: 'A removal that is refused leaves what it would remove inactive.',
    foundBy,
  },
  {
    name: 'settings of others taken back',
    file,
    before: 'if (current?.version !== version) return;',
    after: 'if (!current) return;',
    how: 'A removal that is refused takes back what others applied meanwhile.',
    foundBy,
  },
  {
    name: 'removal without a first look',
    file,
    before:
      "assertUnreferenced(await findReferences(table, settings.id, removals), '');\n  const pause",
    after: 'const pause',
    how: 'What leads have is inactive for eleven seconds before its removal is refused.',
    foundBy,
  },
  {
    name: 'settings that are so already written',
    file,
    before: "return { outcome: 'unchanged', version: before.version, before: before.settings };",
    after: '{}',
    how: 'Settings that are so already get a new version.',
    foundBy,
  },
];
