import { expect, test } from 'vitest';
import { refusals } from './settings-case-lists.ts';
import { issuesOf, smallFile, withValue } from './settings-cases.ts';

test.each(refusals)(
  'a settings file is refused for %s = %j',
  (path, value, message, reportedAt = path) => {
    const issues = issuesOf(JSON.stringify(withValue(smallFile(), path, value)));

    expect(issues).toEqual([{ path: reportedAt, message: expect.stringMatching(message) }]);
  },
);

test('lists every issue of a file at once', () => {
  const file = [
    ['$.id', 'x'],
    ['$.users[1].name', 5],
    ['$.fields[0].options[1].value', 'mba'],
    ['$.fields[0].label', 5],
    ['$.fields[1].showWhen.equals[0]', 'phd'],
    ['$.keys[0].createdBy', 9],
    ['$.extra', 1],
  ].reduce((bad, [path, value]) => withValue(bad, path as string, value), smallFile() as object);

  const paths = issuesOf(JSON.stringify(file)).map(({ path }) => path);

  expect(paths.sort()).toEqual([
    '$.extra',
    '$.fields[0].label',
    '$.fields[0].options[1].value',
    '$.fields[1].showWhen.equals[0]',
    '$.id',
    '$.keys[0].createdBy',
    '$.users[1].name',
  ]);
});

test.each(['', '[1,]'])('a settings file is refused when it is %j, which is not JSON', (text) => {
  expect(issuesOf(text)).toEqual([
    { path: '$', message: expect.stringMatching(/^is not valid JSON: /) },
  ]);
});

test.each(['null', '[]'])(
  'a settings file is refused when it is %s, which is not an object',
  (text) => {
    expect(issuesOf(text)).toEqual([
      { path: '$', message: expect.stringMatching(/^must be an object/) },
    ]);
  },
);
