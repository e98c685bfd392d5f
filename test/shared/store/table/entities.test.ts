import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entities } from '../../../../shared/store/table/entities.ts';
import {
  emailPrimaryKey,
  idempotencyPrimaryKey,
  keyListingPrimaryKey,
  kindOf,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsVersionPrimaryKey,
  timelinePartitionKey,
} from '../../../../shared/store/table/primary-keys.ts';

const sk = '2026-01-01T00:00:00.000Z#a1';

test.each<readonly [PrimaryKey, string, object]>([
  [leadPrimaryKey(7, 31), 'LEADS#7 / 0000000031', { kind: 'lead', organizationId: 7, leadId: 31 }],
  [
    phonePrimaryKey(7, '+919820000001'),
    'PHONE#7#+919820000001 / UNIQUE',
    { kind: 'phone', organizationId: 7, value: '+919820000001' },
  ],
  [
    emailPrimaryKey(7, 'a#1@b.co'),
    'EMAIL#7#a#1@b.co / UNIQUE',
    { kind: 'email', organizationId: 7, value: 'a#1@b.co' },
  ],
  [
    { pk: timelinePartitionKey(7, 31), sk },
    `TIMELINE#7#31 / ${sk}`,
    { kind: 'timeline', organizationId: 7, leadId: 31, entryId: sk },
  ],
  [
    settingsVersionPrimaryKey(7, 3),
    'HISTORY#7 / VERSION#0000000003',
    { kind: 'keptSettings', organizationId: 7, version: 3 },
  ],
  [
    { pk: 'HISTORY#7', sk },
    `HISTORY#7 / ${sk}`,
    { kind: 'auditEntry', organizationId: 7, entryId: sk },
  ],
  [
    keyListingPrimaryKey(7, 'k1'),
    'ORG#7 / KEY#k1',
    { kind: 'listing', organizationId: 7, keyId: 'k1' },
  ],
])('a key is read back as the values that it was made of: %o', (key, text, kind) => {
  expect(`${key.pk} / ${key.sk}`).toBe(text);
  expect(kindOf(key)).toEqual(kind);
});

test('an idempotency key is stored as a digest only', () => {
  const { pk } = idempotencyPrimaryKey('k1', 'Asha');

  expect(pk).toMatch(/^IDEMPOTENCY#k1#[0-9a-f]{64}$/);
});

test.each<readonly [pk: string, sk: string]>([
  ['LEADS#7', '31'],
  ['LEADS#7', '00000000031'],
  ['LEADS#7', '0000000000'],
  ['LEADS#07', '0000000031'],
  ['LEADS#', '0000000031'],
  ['LEADS#1e3', '0000000031'],
  ['LEADS#7', '2147483648'],
  ['XLEADS#7', '0000000031'],
  ['PHONE#7', 'UNIQUE'],
  ['PHONE#7#+91', 'UNIQUE2'],
  ['ORG#DIRECTORY', '7'],
])('a key that the service never makes is of no kind: %s / %s', (pk, sk) => {
  expect(kindOf({ pk, sk })).toBeUndefined();
});

test('the design lists the item types as the table has them', () => {
  const design = readFileSync('shared/DESIGN.md', 'utf8');
  const rows = Object.entries(entities).map(
    ([name, { pk, sk }]) => `| ${name} | \`${pk}\` | \`${sk}\` |\n`,
  );

  expect(design).toContain(
    `| item | partition key | sort key |\n|---|---|---|\n${rows.join('')}\n`,
  );
});
