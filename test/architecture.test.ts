import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from './support/service-process.ts';

/** The shape of the house: who may import whom, and how large a file may be. */

interface Import {
  readonly from: string;
  /** The file, relative to the project's folder; a package or a module of Node by its name. */
  readonly to: string;
  /** Gone when the types are stripped. */
  readonly isTypeOnly: boolean;
}

const folders = ['functions', 'shared', 'infra', 'test'];
const files = folders.flatMap((folder) =>
  readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(ts|mjs)$/.test(file)),
);
const sources = new Map(files.map((file) => [file, readFileSync(join(projectFolder, file), 'utf8')]));

const statement = /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+()'([^']+)'|\bimport\(\s*()'([^']+)'/gm;

function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(statement)].map(([, type, ...rest]) => {
    const named = rest.find((one) => one) ?? '';
    return {
      from: file,
      to: named.startsWith('.') ? normalize(join(dirname(file), named)) : named,
      isTypeOnly: type !== undefined,
    };
  });
}

const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));
const own = imports.filter(({ to }) => sources.has(to));

/** From left to right: a layer imports what stands to its right, never to its left. */
const layers = ['functions/', 'shared/middleware/', 'shared/store/', 'shared/leads/', 'shared/organization/', 'shared/'];
const layerOf = (file: string): number => layers.findIndex((layer) => file.startsWith(layer));

const inside =
  (...prefixes: string[]): ((file: string) => boolean) =>
  (file) =>
    prefixes.some((prefix) => file.startsWith(prefix));
const isApiDescription = inside('infra/openapi/');
const runsTheService = inside('infra/local/', 'infra/admin/');

/** All that is loaded with a file: files, packages and modules of Node. */
function reachedFrom(file: string, reached: Set<string> = new Set()): Set<string> {
  for (const { from, to, isTypeOnly } of imports) {
    if (from !== file || isTypeOnly || reached.has(to)) continue;
    reached.add(to);
    reachedFrom(to, reached);
  }
  return reached;
}

const said = (broken: readonly Import[]): string[] => broken.map(({ from, to }) => `${from} imports ${to}`);

describe('who imports whom', () => {
  test('the imports of every file are read, and lead somewhere', () => {
    const lost = imports.filter(({ to }) => /\.(ts|mjs)$/.test(to) && !sources.has(to));

    expect(said(lost)).toEqual([]);
    expect(own.length).toBeGreaterThan(files.length);
    for (const file of ['functions/get-lead.ts', 'shared/store/leads/leads.ts', 'infra/local/start.ts']) {
      expect(own.map(({ from }) => from)).toContain(file);
    }
  });

  test('a layer of the service imports what stands to its right, never to its left', () => {
    const between = own.filter(({ from, to }) => layerOf(from) >= 0 && layerOf(to) >= 0);

    expect(between.length).toBeGreaterThan(50);
    expect(said(between.filter(({ from, to }) => layerOf(to) < layerOf(from)))).toEqual([]);
  });

  test('a function and a middleware reach nothing that only the administrator runs', () => {
    const isAdministrators = inside(
      'shared/store/maintenance/',
      'shared/store/check/',
      'shared/leads/transfer/',
      'shared/leads/erasure/',
    );
    const endpoints = files.filter(inside('functions/', 'shared/middleware/'));
    const reached = endpoints.flatMap((file) =>
      [...reachedFrom(file)].filter(isAdministrators).map((to) => `${file} reaches ${to}`),
    );

    expect(files.filter(isAdministrators).length).toBeGreaterThan(10);
    expect(reached).toEqual([]);
  });

  test('the rooms of the store that requests use import neither maintenance nor the check', () => {
    const isAdministrators = inside('shared/store/maintenance/', 'shared/store/check/');
    const broken = own.filter(
      ({ from, to }) => from.startsWith('shared/store/') && !isAdministrators(from) && isAdministrators(to),
    );

    expect(said(broken)).toEqual([]);
  });

  test('the store’s table room imports no other room of the store', () => {
    const isTableRoom = inside('shared/store/table/');
    const broken = own.filter(({ from, to }) => isTableRoom(from) && to.startsWith('shared/store/') && !isTableRoom(to));

    expect(said(broken)).toEqual([]);
  });

  test('a function does not import another', () => {
    expect(said(own.filter(({ from, to }) => from.startsWith('functions/') && to.startsWith('functions/')))).toEqual([]);
  });

  test('the service imports nothing of infra or of the tests, and infra nothing of the tests', () => {
    const broken = own.filter(
      ({ from, to }) =>
        (layerOf(from) >= 0 && inside('infra/', 'test/')(to)) || (from.startsWith('infra/') && to.startsWith('test/')),
    );

    expect(said(broken)).toEqual([]);
  });

  test('the local run and the administration import of the service its shared part; functions are for the API description alone', () => {
    const broken = own.filter(
      ({ from, to }) => from.startsWith('infra/') && to.startsWith('functions/') && !isApiDescription(from),
    );

    expect(said(broken)).toEqual([]);
  });

  test('the deployment reads of the service what needs no package: data, without the SDK', () => {
    const isDeployment = (file: string): boolean => file.startsWith('infra/') && !isApiDescription(file) && !runsTheService(file);
    const read = own.filter(({ from, to, isTypeOnly }) => isDeployment(from) && layerOf(to) >= 0 && !isTypeOnly);

    expect(read.map(({ to }) => to)).toContain('shared/store/table/table-definition.ts');
    expect(said(read.filter(({ to }) => [...reachedFrom(to)].some((one) => !sources.has(one))))).toEqual([]);
  });

  test('the rules are pure: no SDK, no store, no clock, no randomness, no environment, nothing to wait for', () => {
    const impure = /\bawait\b|\basync\b|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\brandom(?:Bytes|UUID|Int)\(/;
    const rules = [...sources].filter(([file]) => inside('shared/leads/', 'shared/organization/')(file));
    const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(([, source]) => impure.test(withoutComments(source))).map(([file]) => file)).toEqual([]);
    expect(said(imports.filter(({ from, to }) => rules.some(([file]) => file === from) && /^@aws-sdk|^@middy/.test(to)))).toEqual(
      [],
    );
  });

  test('no cycle among what is imported when the service runs', () => {
    const values = Map.groupBy(
      own.filter(({ isTypeOnly }) => !isTypeOnly),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const { to } of values.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);

    expect(cycles).toEqual([]);
  });
});

describe('files', () => {
  test('are named for their subject: none utils, helpers, common or misc', () => {
    const names = /^(?:utils?|helpers?|common|misc|shared)\.|(?:^|-)(?:utils?|helpers?)(?:\.|-)/;

    expect(files.filter((file) => names.test(basename(file)) || /\/(?:utils?|helpers?|common|misc)\//.test(file))).toEqual([]);
  });

  test('of the store are in a room: none is loose in shared/store', () => {
    expect(files.filter((file) => dirname(file) === 'shared/store')).toEqual([]);
  });

  test('have kebab-case names', () => {
    const plain = /^[a-z0-9.]+(?:-[a-z0-9.]+)*$/;

    expect(files.filter((file) => !file.split('/').every((part) => plain.test(part)))).toEqual([]);
  });

  /** Tables of cases, still to be divided along their subject. */
  const longTables: Readonly<Record<string, number>> = {
    'test/budgets.integration.test.ts': 320,
    'test/contract/2-resources.integration.test.ts': 320,
    'test/contract/3-states.integration.test.ts': 360,
    'test/contract/4.1-filters.integration.test.ts': 320,
  };

  test('have at most 300 lines', () => {
    const counted = [...sources].map(([file, source]) => ({ file, lines: source.split('\n').length - 1 }));

    expect(counted.filter(({ file, lines }) => lines > (longTables[file] ?? 300))).toEqual([]);
  });

  test('are not barrels: none only hands on what others export', () => {
    const barrel = /^(?:\s*(?:export\s+(?:type\s+)?(?:\*|\{[^}]*\})[^;]*from\s+'[^']+';?|\/\/.*))+\s*$/;

    expect([...sources].filter(([, source]) => barrel.test(source)).map(([file]) => file)).toEqual([]);
  });
});
