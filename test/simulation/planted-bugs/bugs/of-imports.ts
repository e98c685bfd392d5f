import type { PlantedBug } from '../planted-bug.ts';

const file = 'shared/store/maintenance/import-leads.ts';
const again = 'Leads of a file get other phones and emails, and the file is imported again';
const meets = 'The rows of a file meet others, first together and then each by itself';
const keepsIds = 'A file of leads that keep their ids is imported, and new leads come after them';

export const bugsOfImports: readonly PlantedBug[] = [
  {
    name: 'row not remembered',
    file,
    before: 'putIfAbsent(table, { ...rowKey, organizationId, leadId, readDigest }),',
    after: '',
    how: 'A repeated import makes a lead of a row twice, if the first one has another phone and email since.',
    foundBy: again,
  },
  {
    name: 'note of a row lost',
    file,
    before: '...(note ? [putTimelineEntry(table, lead, note, newLastEntryId(note.at))] : []),',
    after: '',
    how: 'What a row notes of a lead is not on its timeline.',
    foundBy: again,
  },
  {
    name: 'conflict taken as created',
    file,
    before: "if (written.outcome === 'conflict') return conflict;",
    after: "if (written.outcome === 'conflict') return { outcome: 'created' };",
    how: 'A row that met another request is told of as imported, and lost.',
    foundBy: meets,
  },
  {
    name: 'conflict of many taken as written',
    file,
    before: "({ outcome }) => (outcome === 'written' ?",
    after: "({ outcome }) => (outcome !== 'refused' ?",
    how: 'Rows written together that met another request are told of as imported, and lost.',
    foundBy: meets,
  },
  {
    name: 'failure of many taken as written',
    file,
    before: "'not written' : 'unknown'),",
    after: "'not written' : 'written'),",
    how: 'Rows that could not be written together are told of as imported, and lost.',
    foundBy: meets,
  },
  {
    name: 'ids of leads not taken while settings change',
    file,
    before: 'if (error instanceof TransactionConflictException) return conflict;',
    after: '',
    how: 'An import fails while settings are being applied.',
    foundBy: meets,
  },
  {
    name: 'sequence of ids set back',
    file,
    before: "condition: 'lastLeadId < :id',",
    after: "condition: 'lastLeadId <> :id',",
    how: 'An imported lead with a low id sets the sequence back, and ids are given twice.',
    foundBy: keepsIds,
  },
  {
    name: 'note of a row before its opening',
    file: 'shared/store/leads/timeline.ts',
    before: '#n${randomBytes(6)',
    after: '#0${randomBytes(6)',
    how: 'What a row notes of a lead is on its timeline before the lead is created.',
    foundBy: again,
  },
];
