import { describe, expect, test } from 'vitest';
import { keepsState, withKeptState } from './kept-state.ts';

describe('the text of a module that is evaluated once for all processes', () => {
  test('gives each process its own value of a variable and of a cache, wherever the module names them', async () => {
    const text = [
      'const cachedKeys = new BoundedMap<string, Key>(1000);',
      'let isColdStart = true;',
      'let table: Table | undefined;',
      'export const first = (key: string) => {',
      '  isColdStart = false;',
      '  table ??= open();',
      '  return call.cachedKeys ?? cachedKeys.get(key);',
      '};',
      "// a table's name\nimport { open } from './table.ts';",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
      'const message = `the table ${table.name}`;',
    ].join('\n');

    expect((await withKeptState('a.ts', text))?.split('\n')).toEqual([
      'keptState.declare("a.ts#cachedKeys", () => (new BoundedMap<string, Key>(1000)));',
      'keptState.declare("a.ts#isColdStart", () => (true));',
      'keptState.declare("a.ts#table", () => (undefined));',
      'export const first = (key: string) => {',
      '  keptState.values["a.ts#isColdStart"] = false;',
      '  keptState.values["a.ts#table"] ??= open();',
      '  return call.cachedKeys ?? keptState.values["a.ts#cachedKeys"].get(key);',
      '};',
      "// a table's name",
      "import { open } from './table.ts';",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
      'const message = `the table ${keptState.values["a.ts#table"].name}`;',
    ]);
  });

  test('gives each process its own members of an object that is exported', async () => {
    expect(await withKeptState('a.ts', 'export const limits = read(process.env);')).toBe(
      'export const limits = keptState.object("a.ts#limits", () => (read(process.env)));',
    );
  });

  test('is left as it is where it holds only words, patterns and rules', async () => {
    const text = "const yes = new Set(['true', 'yes']);\nconst form = new RegExp(`^a$`);\n";

    expect(keepsState(text)).toBe(false);
    expect(await withKeptState('a.ts', text)).toBe(text);
  });

  test.each([
    ['a variable that is exported', 'export let count = 0;'],
    ['a member of a class', 'class Cache {\n  static last = 0;\n}'],
    [
      'a variable whose name a parameter has too',
      'let last = 0;\nexport const next = (last: number) => last;',
    ],
    [
      'a variable that is a member by its name',
      'let last = 0;\nexport const next = () => ({ last });',
    ],
    ['a value of several statements', 'const cache = new Cache(() => {\n  return 1;\n});'],
  ])('does not exist for %s: each process evaluates it', async (_what, text) => {
    expect(await withKeptState('a.ts', text)).toBeUndefined();
  });
});
