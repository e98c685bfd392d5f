import type { PlantedBug } from '../planted-bug.ts';

/** Of erasures and imports. */
export const bugsOfErasures: readonly PlantedBug[] = [
  {
    name: 'imported row stays',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: "kind?.kind === 'importedRow' && item.leadId === leadId",
    after: "kind?.kind === 'importedRow' && item.leadId === -leadId",
    how: 'The row of an erased lead stays, and cannot be imported again.',
    foundBy:
      'A file is imported twice, after a capture of one of its people, and once more after an erasure',
  },
  {
    name: 'records of another organization removed',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: "kind?.kind === 'idempotency' && keyIds.has(kind.keyId)",
    after: "kind?.kind === 'idempotency' && keyIds.size > 0",
    how: "An erasure makes another organization's capture forgotten.",
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'records stay',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: "kind?.kind === 'idempotency' && keyIds.has(kind.keyId)",
    after: "kind?.kind === 'idempotency' && keyIds.has('')",
    how: 'An erased lead is still remembered.',
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'person stays on other timelines',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: "kind?.kind === 'timeline' && kind.leadId !== leadId",
    after: "kind?.kind === 'timeline' && kind.leadId === 0",
    how: "An erased person is still on another lead's timeline.",
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'erasure reads eventually consistent',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: 'ConsistentRead: true',
    after: 'ConsistentRead: false',
    how: 'An erasure misses a record that was just written.',
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'keys listed eventually consistent',
    file: 'shared/store/organizations/api-keys.ts',
    before: 'ConsistentRead: true',
    after: 'ConsistentRead: false',
    how: 'An erasure misses the records of a new key.',
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'email stays',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: '[deleteEmail(table, lead, email)]',
    after: '[]',
    how: 'The email of an erased lead stays taken.',
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'erasure without a version',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: "ConditionExpression: '#version = :read',",
    after: "ConditionExpression: '#version = :read OR attribute_exists(#version)',",
    how: 'An erasure does not notice that the lead has just got an email.',
    foundBy: 'A lead is erased while others write it',
  },
  {
    name: 'timeline stays',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: 'await deleteItems(table, timeline.keys);',
    after: '',
    how: 'The timeline of an erased lead stays.',
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'erasure not remembered',
    file: 'shared/store/maintenance/erase-lead.ts',
    before:
      '      { Put: { TableName: table.name, Item: { ...erasurePrimaryKey(organizationId, leadId), ...erasure } } },\n',
    after: '',
    how: 'What is left to erase is nowhere written.',
    foundBy: 'A person is erased and asks again',
  },
  {
    name: 'unprocessed deletes dropped',
    file: 'shared/store/maintenance/delete-items.ts',
    before: 'return Object.keys(UnprocessedItems).length > 0 ? conflict : undefined;',
    after: 'return undefined;',
    how: 'What DynamoDB left of a batch of deletes stays.',
    foundBy: 'DynamoDB leaves some of the deletes undone',
  },
  {
    name: 'ids of an import off by one',
    file: 'shared/store/maintenance/import-leads.ts',
    before: 'return last - count + 1;',
    after: 'return last - count;',
    how: 'The first imported lead has the id of another.',
    foundBy:
      'A file is imported twice, after a capture of one of its people, and once more after an erasure',
  },
  {
    name: 'imported lead without an entry',
    file: 'shared/store/maintenance/import-leads.ts',
    before: '    putChangeEntry(table, lead, opening),\n',
    after: '',
    how: 'The timeline of an imported lead does not begin.',
    foundBy:
      'A file is imported twice, after a capture of one of its people, and once more after an erasure',
  },
];
