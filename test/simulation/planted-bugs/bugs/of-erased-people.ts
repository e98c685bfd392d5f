import type { PlantedBug } from '../planted-bug.ts';

const twoAtOnce =
  "Two people who are on each other's timelines, and on a third one, are erased at once";
const hadBefore = 'A person is erased who had a phone and an email that another person has now';
const diesOften = 'An erasure dies when the lead is gone, and its repeat still knows the person';
const manyNotes = 'A lead of many notes, most of them on pages of their own, is erased';
const planned =
  'An erasure is planned, which changes nothing, and then done, more deletes than one call has';

const family =
  "A son writes with his own phone and each parent's email, and the parents are erased";
const comesBack =
  'A person comes back while they are erased, and again before the erasure is complete';
const reused = 'A lead is imported under the ID of a lead that is being erased, and again after it';

/** Of what an erasure finds of a person elsewhere. */
export const bugsOfErasedPeople: readonly PlantedBug[] = [
  {
    name: 'changes of the timeline not searched',
    file: 'shared/leads/erasure/erasure.ts',
    before: 'field === fieldKey ? [from, to] : []',
    after: 'field === fieldKey ? [to] : []',
    how: 'What a person had once is not searched for.',
    foundBy: diesOften,
  },
  {
    name: 'search with its case',
    file: 'shared/leads/erasure/person-search.ts',
    before: 'const email = comparableEmail(',
    after: 'const email = String(',
    how: 'An email in upper case is not erased.',
    foundBy: twoAtOnce,
  },
  {
    name: 'first mention only',
    file: 'shared/leads/erasure/person-search.ts',
    before: 'if (match) matches.push(match);',
    after: 'if (match) return [match];',
    how: 'Of several mentions in a text one is erased.',
    foundBy: diesOften,
  },
  {
    name: 'texts of notes stay',
    file: 'shared/leads/erasure/erasure.ts',
    before: "['notes', 'text', 'attribution', 'kept', 'changes']",
    after: "['notes', 'attribution', 'kept', 'changes']",
    how: 'A person stays in the notes of another lead.',
    foundBy: twoAtOnce,
  },
  {
    name: 'changes of other leads stay',
    file: 'shared/leads/erasure/erasure.ts',
    before: "['notes', 'text', 'attribution', 'kept', 'changes']",
    after: "['notes', 'text', 'attribution', 'kept']",
    how: 'A person stays in the changes of another lead.',
    foundBy: twoAtOnce,
  },
  {
    name: 'enquiry of the person not recognized',
    file: 'shared/leads/erasure/erasure.ts',
    before: 'if (!isTheirs) return cleanedEntry(entry, search);',
    after: 'if (isTheirs || !isTheirs) return cleanedEntry(entry, search);',
    how: 'What an erased person wrote stays on the timeline of another lead.',
    foundBy: twoAtOnce,
  },
  {
    name: 'what another person has now erased',
    file: 'shared/store/maintenance/erased-person.ts',
    before: '(items.get(key)?.leadId ?? leadId) !== leadId;',
    after: '(items.get(key)?.leadId ?? leadId) === -leadId;',
    how: 'An erasure masks what another person has now.',
    foundBy: hadBefore,
  },
  {
    name: 'person not stored for the repeat',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: 'if (!(await storePerson(own, leadId, search.identities))) return undefined;',
    after: '',
    how: 'A repeat of an erasure has forgotten part of the person.',
    foundBy: diesOften,
  },
  {
    name: 'erasure over before its end',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: 'await deleteItems(table, timeline.keys);',
    after:
      'await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...erasurePrimaryKey(organizationId, leadId) } })); await deleteItems(table, timeline.keys);',
    how: 'An erasure that dies while it removes the timeline is not known any more.',
    foundBy: diesOften,
  },
  {
    name: 'no last event of an erasure',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: "      putTimelineEntry(table, lead, { type: 'erased', at, actorId: null }, id),\n",
    after: '',
    how: 'No event tells that a lead was erased.',
    foundBy: manyNotes,
  },
  {
    name: 'entry cleaned blindly',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: ".join(' AND '),",
    after: ".concat('attribute_exists(pk)').join(' OR '),",
    how: 'Of two erasures at once one brings back what the other erased.',
    foundBy: twoAtOnce,
  },
  {
    name: 'conflict of two erasures taken as done',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: 'if (error instanceof ConditionalCheckFailedException) return conflict;',
    after: 'if (error instanceof ConditionalCheckFailedException) return true;',
    how: 'An erasure that met another leaves its person in an entry.',
    foundBy: twoAtOnce,
  },
  {
    name: 'part of the table not searched',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: 'Array.from({ length: segments }, (_, segment) => scanSegment(segment)',
    after: 'Array.from({ length: segments - 1 }, (_, segment) => scanSegment(segment)',
    how: 'A quarter of the table is not searched.',
    foundBy: twoAtOnce,
  },
  {
    name: 'first page of each part only',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: '} while (next && !hasFailed);',
    after: '} while (next && itemsRead === 0);',
    how: 'Only the first page of each part of the table is searched.',
    foundBy: twoAtOnce,
  },
  {
    name: 'notes of enquiries stay',
    file: 'shared/leads/erasure/erasure.ts',
    before: "['notes', 'text', 'attribution', 'kept', 'changes']",
    after: "['text', 'attribution', 'kept', 'changes']",
    how: 'A person stays in the notes of what another one asked.',
    foundBy: twoAtOnce,
  },
  {
    name: 'attribution of enquiries stays',
    file: 'shared/leads/erasure/erasure.ts',
    before: "['notes', 'text', 'attribution', 'kept', 'changes']",
    after: "['notes', 'text', 'kept', 'changes']",
    how: 'A person stays in the address of the page from which another one asked.',
    foundBy: twoAtOnce,
  },
  {
    name: 'submitted values stay',
    file: 'shared/leads/erasure/erasure.ts',
    before: '({ ...value, submitted: erasedMark })',
    after: '({ ...value })',
    how: 'What an erased person called themselves in an enquiry stays on the timeline of another lead.',
    foundBy: twoAtOnce,
  },
  {
    name: 'end of a timeline dated by the clock alone',
    file: 'shared/store/maintenance/erase-lead.ts',
    before: 'const at = changeTimeOf(lead, new Date()).toISOString();',
    after: 'const at = new Date().toISOString();',
    how: 'That a lead was erased is told before its last change.',
    foundBy: planned,
  },
  {
    name: 'plan of an erasure removes rows',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: `if (!isDryRun) await removeOf(table, key, 'leadId', leadId);
      counts.importedRows`,
    after: `await removeOf(table, key, 'leadId', leadId);
      counts.importedRows`,
    how: 'A look at what an erasure would remove forgets that a row was imported.',
    foundBy: planned,
  },
  {
    name: 'deletes of the first call only',
    file: 'shared/store/maintenance/delete-items.ts',
    before: 'at < keys.length; at += batchMax',
    after: 'at < keys.length && at === 0; at += batchMax',
    how: 'More entries than one call deletes stay when a person is erased.',
    foundBy: planned,
  },
  {
    name: 'every enquiry erased',
    file: 'shared/leads/erasure/erasure.ts',
    before: 'if (!isTheirs) return cleanedEntry(entry, search);',
    after: "if (!isTheirs && !('kept' in entry)) return cleanedEntry(entry, search);",
    how: 'Every enquiry of the organization becomes [erased] at each erasure.',
    foundBy: family,
  },
  {
    name: 'submitted identities counted as the person',
    file: 'shared/leads/erasure/erasure.ts',
    before: "'changes' in entry ? entry.changes : []",
    after:
      "'changes' in entry ? entry.changes : 'kept' in entry ? entry.kept.map(({ field, submitted }) => ({ field, from: submitted, to: submitted })) : []",
    how: 'Who once wrote with the email of an erased person loses their enquiries to others.',
    foundBy: family,
  },
  {
    name: 'returned person erased by the repeat',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before:
      'search.forget(await heldByOthers({ table, organizationId }, leadId, foundIn(items, search)));',
    after: '',
    how: 'A person who comes back while an erasure reads the table loses what they write.',
    foundBy: comesBack,
  },
  {
    name: 'returned person erased from what they wrote since',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: 'if (await isOfLaterLead(table, leadKey, entry, begunAt)) return;',
    after: '',
    how: 'A person who came back, and gave up their phone, loses what they wrote since.',
    foundBy: comesBack,
  },
  {
    name: 'kept id imported during its erasure',
    file: 'shared/store/maintenance/import-leads.ts',
    before: '...(keepsId ? [noErasureOf(table, lead)] : []),',
    after: '',
    how: 'A lead that is imported while an earlier one of its ID is erased loses its timeline.',
    foundBy: reused,
  },
  {
    name: 'cleaned entry without its time',
    file: 'shared/store/maintenance/erase-related-items.ts',
    before: 'replacementOf([...changes, cleaningOf(entry)])',
    after: 'replacementOf(changes)',
    how: 'Copies of a timeline keep a person who was erased.',
    foundBy: twoAtOnce,
  },
];
