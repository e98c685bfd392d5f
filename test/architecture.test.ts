import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  files,
  type Import,
  importCircles,
  imports,
  ownImports as own,
  reachedFrom,
  sources,
} from './support/source-files.ts';

/** The rules of the project's source that the linter does not have: who may import whom, and what files are called. */

/** A layer imports the layers to its right, never those to its left. */
const layers = [
  'shared/client/',
  'functions/',
  'shared/middleware/',
  'shared/events/',
  'shared/store/',
  'shared/leads/',
  'shared/organization/',
  'shared/observability/',
  'shared/contract/',
  'shared/base/',
];
/** What `openapi.json` says about an endpoint stands beside its handler, and belongs to no layer: no bundle has it. */
const isDescription = (file: string): boolean => /^functions\/[^/]+\/description\.ts$/.test(file);
const layerOf = (file: string): number =>
  isDescription(file) ? -1 : layers.findIndex((layer) => file.startsWith(layer));

const inside =
  (...prefixes: string[]): ((file: string) => boolean) =>
  (file) =>
    prefixes.some((prefix) => file.startsWith(prefix));
const isApiDescription = (file: string): boolean =>
  file.startsWith('infra/openapi/') || isDescription(file);
const isLocal = inside('infra/local/');
const runsTheService = inside(
  'infra/openapi/page/',
  'infra/local/',
  'infra/admin/',
  'infra/verify/',
  'infra/cli/table.ts',
);

const isInStore = inside('shared/store/');
const isTableRoom = inside('shared/store/table/');
const isAdministrators = inside(
  'shared/store/check/',
  'shared/store/erasure/',
  'shared/store/restore/',
  'shared/store/transfer/',
);
const isData = (file: string): boolean =>
  /^shared\/(contract|base|observability)\/[^/]+\.ts$/.test(file) ||
  /^shared\/(store\/table\/(entities|table-definition|event-filter)|organization\/nearest-name)\.ts$/.test(
    file,
  );
const isDeployed = inside('infra/stack/', 'infra/deploy/', 'infra/gateway/', 'infra/bundle/');
const isOtherCommand = inside('infra/admin/lead/', 'infra/admin/table/');
const isCommand = inside('infra/admin/import/', 'infra/admin/lead/', 'infra/admin/table/');
const isModel = inside('test/dynamodb-model/');

type Files = (file: string) => boolean;
/** Each rule's first files import none of its second. */
const separations: readonly (readonly [rule: string, from: Files, to: Files])[] = [
  [
    'the rooms of the store that requests use import none of those that only the administrator uses',
    (file) => isInStore(file) && !isAdministrators(file),
    isAdministrators,
  ],
  [
    'the store’s table room imports no other room of the store',
    isTableRoom,
    (file) => isInStore(file) && !isTableRoom(file),
  ],
  [
    'the service imports nothing of infra or of the tests',
    (file) => layerOf(file) >= 0,
    inside('infra/', 'test/'),
  ],
  ['infra imports nothing of the tests', inside('infra/'), inside('test/')],
  [
    'the proof of the whole may use the other tests, which use nothing of it',
    (file) => file.startsWith('test/') && !file.startsWith('test/proof/'),
    inside('test/proof/'),
  ],
  [
    'only the API description imports functions: no handler imports a description or a handler',
    (file) => !file.startsWith('test/') && !isApiDescription(file),
    inside('functions/'),
  ],
  [
    'a description imports no function, and of infra only the files of infra/openapi itself',
    isDescription,
    (file) => /^(functions|infra)\//.test(file) && !/^infra\/openapi\/[^/]+\.ts$/.test(file),
  ],
  [
    'infra/stack imports only data of the service',
    inside('infra/stack/'),
    (file) => layerOf(file) >= 0 && !isData(file),
  ],
  ['neither the stack nor the deployment imports the local run', isDeployed, isLocal],
  ['the local run imports nothing of the stack', isLocal, inside('infra/stack/')],
  [
    'what the commands share imports no other room of infra',
    inside('infra/cli/'),
    (file) => file.startsWith('infra/') && !file.startsWith('infra/cli/'),
  ],
  [
    'the check imports neither restore nor erasure',
    inside('shared/store/check/'),
    inside('shared/store/restore/', 'shared/store/erasure/'),
  ],
  [
    'a command imports nothing of the local run but the file that finds a running service',
    inside('infra/admin/'),
    (file) => isLocal(file) && file !== 'infra/local/running-service.ts',
  ],
  ['what commands read of files imports no command', inside('infra/admin/files/'), isCommand],
  ['an import imports no other command', inside('infra/admin/import/'), isOtherCommand],
  ['the DynamoDB model imports nothing of the project', isModel, (file) => !isModel(file)],
  [
    'others import only the public file of the DynamoDB model',
    (file) => !isModel(file),
    (file) => isModel(file) && file !== 'test/dynamodb-model/dynamodb-model.ts',
  ],
];

const linesOf = (broken: readonly Import[]): string[] =>
  broken.map(({ from, to }) => `${from} imports ${to}`);

describe('who imports whom', () => {
  test('every import of the project is read and leads to a file', () => {
    const lost = imports.filter(({ to }) => /\.(ts|mjs)$/.test(to) && !sources.has(to));

    expect(linesOf(lost)).toEqual([]);
    expect(own.length).toBeGreaterThan(files.length);
    for (const file of [
      'functions/get-lead/handler.ts',
      'shared/store/leads/leads.ts',
      'infra/local/start.ts',
    ]) {
      expect(own.map(({ from }) => from)).toContain(file);
    }
  });

  test('a layer of the service imports only itself and the layers below it', () => {
    const between = own.filter(({ from, to }) => layerOf(from) >= 0 && layerOf(to) >= 0);

    expect(between.length).toBeGreaterThan(50);
    expect(linesOf(between.filter(({ from, to }) => layerOf(to) < layerOf(from)))).toEqual([]);
  });

  test('the store’s table room imports only types of the leads', () => {
    const ofLeads = own.filter(
      ({ from, to }) => isTableRoom(from) && to.startsWith('shared/leads/'),
    );

    expect(ofLeads.length).toBeGreaterThan(0);
    expect(linesOf(ofLeads.filter(({ isTypeOnly }) => !isTypeOnly))).toEqual([]);
  });

  test.each(separations)('%s', (_, from, to) => {
    const broken = own.filter((one) => from(one.from) && to(one.to));

    expect(linesOf(broken)).toEqual([]);
    expect([files.some(from), files.some(to)]).toEqual([true, true]);
  });

  test('the client imports only Node’s files and, as types, the contract; no part of the service imports it', () => {
    const isClient = inside('shared/client/');
    const ofClient = imports.filter(({ from, to }) => isClient(from) && !isClient(to));
    const isContractType = ({ to, isTypeOnly }: Import): boolean =>
      to === 'shared/contract/types.ts' && isTypeOnly;

    expect(ofClient.length).toBeGreaterThan(3);
    expect(
      linesOf(ofClient.filter((one) => one.to !== 'node:fs/promises' && !isContractType(one))),
    ).toEqual([]);
    expect(linesOf(own.filter(({ from, to }) => layerOf(from) > 0 && isClient(to)))).toEqual([]);
  });

  test('the deployment imports only data of the service, which needs no package', () => {
    const isDeployment = (file: string): boolean =>
      file.startsWith('infra/') &&
      !isApiDescription(file) &&
      !runsTheService(file) &&
      !file.startsWith('infra/recipes/');
    const read = own.filter(
      ({ from, to, isTypeOnly }) => isDeployment(from) && layerOf(to) >= 0 && !isTypeOnly,
    );

    expect(read.map(({ to }) => to)).toContain('shared/store/table/table-definition.ts');
    expect(
      linesOf(
        read.filter(({ to }) =>
          [...reachedFrom(to, { withTypes: false })].some((one) => !sources.has(one)),
        ),
      ),
    ).toEqual([]);
  });

  test('the rules are pure: they use no SDK, store, clock, randomness, environment or promise', () => {
    const impure =
      /\bawait\b|\basync\b|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\brandom(?:Bytes|UUID|Int)\(/;
    const rules = [...sources].filter(([file]) =>
      inside('shared/leads/', 'shared/organization/')(file),
    );
    const withoutComments = (source: string): string =>
      source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

    expect(rules.length).toBeGreaterThan(10);
    expect(
      rules.filter(([, source]) => impure.test(withoutComments(source))).map(([file]) => file),
    ).toEqual([]);
    expect(
      linesOf(
        imports.filter(
          ({ from, to }) => rules.some(([file]) => file === from) && /^@aws-sdk|^@middy/.test(to),
        ),
      ),
    ).toEqual([]);
  });

  test('a function and a middleware reach nothing that only the administrator runs', () => {
    const administration = inside(
      'shared/store/check/',
      'shared/store/erasure/',
      'shared/store/restore/',
      'shared/store/transfer/',
      'shared/leads/transfer/',
      'shared/leads/erasure/',
    );
    const requestPath = files.filter(
      (file) => inside('functions/', 'shared/middleware/')(file) && !isDescription(file),
    );
    const reached = requestPath.flatMap((file) =>
      [...reachedFrom(file, { withTypes: true })].map((to) => `${file} reaches ${to}`),
    );

    expect(files.filter(administration).length).toBeGreaterThan(10);
    expect(reached.length).toBeGreaterThan(100);
    expect(reached.filter((line) => administration(line.split(' reaches ')[1] ?? ''))).toEqual([]);
  });

  test('no files import each other in a circle, type imports included', () => {
    expect(importCircles()).toEqual([]);
  });
});

describe('source files', () => {
  test('are named for their subject: no file is named utils, helpers, common or misc', () => {
    const names = /^(?:utils?|helpers?|common|misc|shared)\.|(?:^|-)(?:utils?|helpers?)(?:\.|-)/;

    expect(
      files.filter(
        (file) => names.test(basename(file)) || /\/(?:utils?|helpers?|common|misc)\//.test(file),
      ),
    ).toEqual([]);
  });

  test('are in a folder of their subject: infra/ has two loose files at most, shared/ none', () => {
    const looseIn = (folder: string): string[] =>
      files.filter((file) => file.startsWith(folder) && !file.slice(folder.length).includes('/'));

    expect(looseIn('infra/').length).toBeLessThanOrEqual(2);
    expect(looseIn('shared/')).toEqual([]);
    expect(looseIn('shared/store/')).toEqual([]);
  });

  test('are at most 20 in a folder', () => {
    const full = [...Map.groupBy(files, (file) => dirname(file))].filter(
      ([, own]) => own.length > 20,
    );

    expect(full.map(([folder, own]) => `${folder} holds ${own.length} files`)).toEqual([]);
  });

  test('have kebab-case names', () => {
    const plain = /^[a-z0-9.]+(?:-[a-z0-9.]+)*$/;

    expect(files.filter((file) => !file.split('/').every((part) => plain.test(part)))).toEqual([]);
  });

  test('that tests share register no hook when imported, which only the first test file would run', () => {
    const reached = files
      .filter((file) => /\.test\.ts$/.test(file) && !/\bvi\.mock\(/.test(sources.get(file) ?? ''))
      .flatMap((file) => [...reachedFrom(file, { withTypes: false })]);
    const hook = /^(?:before|after)(?:Each|All)\(/m;

    expect([...new Set(reached)].filter((file) => hook.test(sources.get(file) ?? ''))).toEqual([]);
  });
});
