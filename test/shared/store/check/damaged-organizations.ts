import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  erasurePrimaryKey,
  idempotencyPrimaryKey,
  importedRowPrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { type Case, damage, named, put, remove } from './given-table.ts';

export const organizations: Case[] = [
  [
    'an imported row became a lead that is there',
    ({ table }) => put(table, { ...importedRowPrimaryKey(1, 'a1b2'), leadId: 77 }),
    () => [
      'The imported row IMPORTED#1#a1b2 / ROW became lead 77 of organization 1, which is not there.',
    ],
  ],
  [
    'an erasure was ended',
    ({ table }) => put(table, { ...erasurePrimaryKey(1, 77) }),
    () => [
      'The erasure of lead 77 of organization 1 is in progress or was interrupted: npm run admin -- lead erase --organization 1 --lead 77 completes it.',
    ],
  ],
  [
    'settings are there',
    ({ table }) => remove(table, settingsPrimaryKey(1)),
    () => ['Organization 1 has items, but its settings ORG#1 / SETTINGS are not there.'],
  ],
  [
    'usage is there',
    ({ table }) => remove(table, usagePrimaryKey(1)),
    () => ['Organization 1 has no usage item USAGE#1 / USAGE.'],
  ],
  [
    'an organization is in the directory',
    ({ table }) => remove(table, directoryPrimaryKey(1)),
    () => ['Organization 1 is not in the directory: ORG#DIRECTORY / 0000000001 is not there.'],
  ],
  [
    'the directory names organizations that are there',
    ({ table }) => put(table, { ...directoryPrimaryKey(5), name: 'Nobody' }),
    () => ['Organization 5 has items, but its settings ORG#5 / SETTINGS are not there.'],
  ],
  [
    'the directory has the name',
    ({ table }) => damage(table, directoryPrimaryKey(1), { name: 'Old' }),
    () => ['Organization 1 is called "Northwind Academy", but "Old" in the directory.'],
  ],
  [
    "the settings' version is the usage item's",
    ({ table }) => damage(table, usagePrimaryKey(1), { settingsVersion: 4 }),
    () => ['Organization 1 has settings of version 1, but its usage item says 4.'],
  ],
  [
    "an organization's usage is within what any deployment may allow",
    ({ table }) => damage(table, usagePrimaryKey(1), { used: 360_001 }),
    () => [
      'Organization 1 has used 360001 requests of a window; no deployment may allow more than 360000.',
    ],
  ],
  [
    'usage counts',
    ({ table }) => damage(table, usagePrimaryKey(1), { used: 'many' }),
    () => ['Organization 1 has the used "many" in its usage item, which must be a count.'],
  ],
  [
    "a key's usage is within what any deployment may allow",
    ({ table, key }) => damage(table, key.apiKey, { used: 360_001 }),
    ({ keyId }) => [
      `API key ${keyId} of organization 1 has used 360001 requests of a window; no deployment may allow more than 360000.`,
    ],
  ],
  [
    'a listed key is there',
    ({ table, key }) => remove(table, key.apiKey),
    ({ keyId, key }) => [
      `API key ${keyId} of organization 1 is listed, but its item ${named(key.apiKey)} is not there.`,
    ],
  ],
  [
    'a key is listed',
    ({ table }) =>
      put(table, { ...apiKeyPrimaryKey('00ff'), organizationId: 1, keyId: 'unlisted00' }),
    () => [
      'The API key item KEY#00ff / KEY is key unlisted00 of organization 1, which does not list it.',
    ],
  ],
  [
    'a key is listed once',
    ({ table, keyId }) => put(table, { ...apiKeyPrimaryKey('00ff'), organizationId: 1, keyId }),
    ({ keyId }) => [
      `The API key item KEY#00ff / KEY is key ${keyId} of organization 1, which lists it under another hash.`,
    ],
  ],
  [
    'a key says whose it is',
    ({ table }) => put(table, { ...apiKeyPrimaryKey('00ff') }),
    () => ['The API key item KEY#00ff / KEY says neither its organization nor its id.'],
  ],
  [
    'a key is listed as it is',
    ({ table, key }) => damage(table, key.listing, { revokedAt: '2026-01-01T00:00:00.000Z' }),
    ({ keyId }) => [
      `API key ${keyId} of organization 1 is listed with another revokedAt than its item has.`,
    ],
  ],
  [
    "a key's creator is there",
    async ({ table, key }) => {
      await damage(table, key.listing, { createdBy: 99 });
      await damage(table, key.apiKey, { createdBy: 99 });
    },
    ({ keyId }) => [
      `API key ${keyId} of organization 1 was created by user 99, whom the organization does not have.`,
    ],
  ],
  [
    'a turn counts',
    ({ table }) => put(table, { pk: 'TURN#1', sk: 'digest', turns: 'x' }),
    () => ['The turn TURN#1 / digest has counted "x", which must be a number of turns taken.'],
  ],
  ...(
    [
      ['SOMETHING#1', 'ELSE'],
      ['ORG#1', 'SETTING'],
      ['ORG#0', 'SETTINGS'],
      ['USAGE#1', 'USAGES'],
      ['LEADS#1', '5'],
      ['LEADS#1', '0000000000'],
      ['LEADS#1', '9999999999'],
      ['PHONE#1#+911', 'X'],
      ['EMAIL#x#a@b.co', 'UNIQUE'],
      ['TIMELINE#1', 'x'],
      ['IDEMPOTENCY#k#x', 'RECORD'],
      ['KEY#00', 'KEYS'],
      ['ORG#DIRECTORY', '1'],
    ] as const
  ).map(
    ([pk, sk]): Case => [
      `${pk} / ${sk} is not an item of the service`,
      ({ table }) => put(table, { pk, sk }),
      () => [`The item ${pk} / ${sk} is of no type that the service knows.`],
    ],
  ),
  [
    'an idempotency record remembers a lead that is there',
    ({ table, key }) => damage(table, key.record, { 'result.id': 79 }),
    ({ key }) => [
      `The idempotency record ${named(key.record)} names lead 79 of organization 1, which is not there.`,
    ],
  ],
  [
    'an idempotency record belongs to a listed API key',
    ({ table }) =>
      put(table, { ...idempotencyPrimaryKey('nobody0000', 'x'), result: { id: 1 }, expiresAt: 1 }),
    () => [
      `The idempotency record ${named(idempotencyPrimaryKey('nobody0000', 'x'))} belongs to API key nobody0000, which no organization lists.`,
    ],
  ],
];
