import { expect, test } from 'vitest';
import { lookalikesAmong } from '../../../shared/organization/lookalikes.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { smallFile, withValue } from './settings-cases.ts';

const parse = (file: object) => parseSettingsFile(JSON.stringify(file));

test.each<[string, unknown, string]>([
  ['$.sources[1].name', 'Website\u200b', '$.sources[0].name'],
  ['$.users[2].name', 'asha rao', '$.users[0].name'],
  ['$.pipelines[1].name', 'ADMISSIONS', '$.pipelines[0].name'],
  ['$.pipelines[0].stages[1].name', 'NEW', '$.pipelines[0].stages[0].name'],
  ['$.fields[2].label', 'Years', '$.fields[1].label'],
  ['$.fields[0].options[1].value', 'MBA', '$.fields[0].options[0].value'],
  ['$.fields[0].options[1].label', 'mba', '$.fields[0].options[0].label'],
])('$0 as $1 is refused beside $2 in a new file, and goes on in force', (path, value, earlier) => {
  const { names, settings } = parse(withValue(smallFile(), path, value));

  expect(lookalikesAmong(names, parse(smallFile()).settings)).toEqual([
    { path, message: expect.stringContaining(` in ${earlier}: `) },
  ]);
  expect(lookalikesAmong(names, settings)).toEqual([]);
});

test.each<[string, unknown]>([
  ['$.users[2].name', 'Asha Rao'],
  ['$.users[2]', { id: 10, name: 'asha rao', active: false }],
  ['$.pipelines[1].stages[0].name', 'new'],
  ['$.fields[0].options[1].value', 'design\u00e9'],
])('%s may be %j', (path, value) =>
  expect(lookalikesAmong(parse(withValue(smallFile(), path, value)).names, undefined)).toEqual([]),
);
