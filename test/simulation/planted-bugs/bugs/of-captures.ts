import type { PlantedBug } from '../planted-bug.ts';

/** Of captures. */
export const bugsOfCaptures: readonly PlantedBug[] = [
  {
    name: 'match not looked at again',
    file: 'shared/store/leads/captures.ts',
    before: 'return stillHolds ? lead : conflict;',
    after: 'return stillHolds ? lead : lead;',
    how: 'A capture goes to the lead that had the phone a moment before.',
    foundBy: 'An enquiry arrives while the lead changes its phone',
  },
  {
    name: 'no entry of a capture',
    file: 'shared/store/leads/captures.ts',
    before: '    (isFilled ? putChangeEntry : putTimelineEntry)(table, lead, entry),\n',
    after: '',
    how: 'A capture leaves nothing on the timeline.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'records of a capture apart from its lead',
    file: 'shared/store/leads/captures.ts',
    before: '[...leadItems(table, decision), ...putRecords(keys)]);',
    after: `leadItems(table, decision));
    await transact(table, putRecords(keys));`,
    how: 'A capture that loses a race leaves its records without a lead.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'filled email not taken',
    file: 'shared/store/leads/captures.ts',
    before: '...(newEmail === null ? [] : [putEmail(table, lead, newEmail)]),',
    after: '',
    how: 'An email that a capture fills is not unique.',
    foundBy:
      'An enquiry meets a lead with other values, then an email that another lead has, then an archived lead',
  },
  {
    name: 'version not compared when nothing is filled',
    file: 'shared/store/leads/captures.ts',
    before: ': checkLead(table, match),',
    after: ': checkLeadExists(table, match.organizationId, match.id),',
    how: 'A capture that fills nothing does not notice that the lead has changed.',
    foundBy: 'An enquiry arrives while the lead changes its phone',
  },
  {
    name: 'second record without an end',
    file: 'shared/store/leads/captures.ts',
    before: '...putRecords(decision.unrecorded),',
    after:
      '...decision.unrecorded.map(({ value }) => putRecord(table, idempotencyPrimaryKey(keyId, value), { ...record, expiresAt: 9e12 })),',
    how: 'The record under a second key never expires.',
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'keys of all API keys',
    file: 'shared/store/leads/captures.ts',
    before:
      'const recordKeys = capture.keys.map(({ value }) => idempotencyPrimaryKey(capture.keyId, value));',
    after: "const recordKeys = capture.keys.map(({ value }) => idempotencyPrimaryKey('', value));",
    how: 'The record of a capture is looked up in another place.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'expiry of a record not compared',
    file: 'shared/store/leads/idempotency.ts',
    before: 'if (!item || item.expiresAt <= now.getTime()) return undefined;',
    after: 'if (!item) return undefined;',
    how: 'A record that is deleted late is replayed.',
    foundBy: 'A capture is repeated one millisecond before its 24 hours end, and when they end',
  },
  {
    name: 'record valid in its last millisecond',
    file: 'shared/store/leads/idempotency.ts',
    before: 'if (!item || item.expiresAt <= now.getTime()) return undefined;',
    after: 'if (!item || item.expiresAt < now.getTime()) return undefined;',
    how: 'A capture is remembered for a millisecond more than 24 hours.',
    foundBy: 'A capture is repeated one millisecond before its 24 hours end, and when they end',
  },
  {
    name: 'record replaced',
    file: 'shared/store/leads/idempotency.ts',
    before: "'attribute_not_exists(pk) OR expiresAt <= :now'",
    after: "'attribute_not_exists(pk) OR expiresAt <= :now OR expiresAt > :now'",
    how: 'Of two captures under one key, one makes the other forgotten.',
    foundBy: 'Two bodies of two people race under one key',
  },
  {
    name: 'record deleted late',
    file: 'shared/store/leads/idempotency.ts',
    before: 'ttl: Math.ceil(record.expiresAt / 1000) }',
    after: 'ttl: record.expiresAt }',
    how: 'A record is kept for 50,000 years.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'less than 24 hours',
    file: 'shared/leads/idempotency.ts',
    before: 'limits.idempotencyHours * 3_600_000',
    after: 'limits.idempotencyHours * 3_500_000',
    how: 'A capture is remembered for 23 hours and 20 minutes.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'fingerprints not compared',
    file: 'shared/leads/idempotency.ts',
    before: 'records[index] && records[index]?.fingerprint !== fingerprint',
    after: "records[index]?.fingerprint === '' && fingerprint === ''",
    how: "Another body under a used key is answered with the first one's result.",
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'fingerprint without the notes',
    file: 'shared/leads/idempotency.ts',
    before: "createHash('sha256').update(canonical(body))",
    after: "createHash('sha256').update(canonical({ ...(body as object), notes: '' }))",
    how: 'A body that differs in its notes counts as the same.',
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'fingerprint of the order',
    file: 'shared/leads/idempotency.ts',
    before: 'Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))',
    after: 'Object.entries(value)',
    how: 'The same body in another order of its names counts as another.',
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'fingerprint of the externalId',
    file: 'shared/leads/capture.ts',
    before: 'fingerprint: fingerprintOf(enquiry),',
    after:
      'fingerprint: fingerprintOf({ ...enquiry, ...(externalId !== undefined && { externalId }) }),',
    how: 'A repeat that adds its externalId counts as another body.',
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'second key ignored',
    file: 'shared/leads/idempotency.ts',
    before: 'if (externalId !== undefined && externalId !== header)',
    after: 'if (externalId !== undefined && header === undefined)',
    how: 'A capture with two keys is remembered under one.',
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'replay not remembered under the other key',
    file: 'shared/store/leads/captures.ts',
    before: 'if (decision.unrecorded.length === 0) return true;',
    after: 'if (decision.unrecorded.length >= 0) return true;',
    how: 'A replay does not remember the key that was new.',
    foundBy:
      'A key is used again: with the same body, another order of it, other notes, and a second key',
  },
  {
    name: 'replay not told',
    file: 'functions/capture-lead.ts',
    before: "outcome === 'replay' &&",
    after: 'false &&',
    how: 'A replay looks like a first answer.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'owner chosen twice',
    file: 'functions/capture-lead.ts',
    before: 'owner ??= nextOwner',
    after: 'owner = nextOwner',
    how: 'A capture that is repeated after a conflict takes a second turn.',
    foundBy: 'Each attempt of a capture meets a conflict before it is written',
  },
  {
    name: 'match of the first read',
    file: 'functions/capture-lead.ts',
    before: 'attempt === 0 ? prefetched.matches : await findForCapture(table, capture);',
    after: 'prefetched.matches;',
    how: 'A capture that lost a race never looks for its person again.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'not ready for a match',
    file: 'functions/capture-lead.ts',
    before: 'const match = await findMatch(table, capture, matches);',
    after:
      'startCapturedLead(organization, read.onCreate, body.pipelineId);\n  const match = await findMatch(table, capture, matches);',
    how: 'A repeated enquiry is refused because a new lead would have no owner.',
    foundBy: 'Nobody is left to own new leads, and a known person asks again',
  },
  {
    name: 'taken email fills',
    file: 'shared/leads/capture.ts',
    before: 'situation.emailLeadId !== undefined && situation.emailLeadId !== match.id',
    after: 'situation.emailLeadId === match.id && match.id === 0',
    how: 'A capture fills an email that another lead has.',
    foundBy:
      'An enquiry meets a lead with other values, then an email that another lead has, then an archived lead',
  },
  {
    name: 'kept values lost',
    file: 'shared/leads/capture.ts',
    before: '} else kept.push({ field, current, submitted: value });',
    after: '}',
    how: 'The timeline does not tell what a capture did not fill.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'filled over',
    file: 'shared/leads/capture.ts',
    before: 'const mayFill = current === null && lead.archivedAt',
    after: 'const mayFill = lead.archivedAt',
    how: 'A capture replaces what a lead has.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'archived leads filled',
    file: 'shared/leads/capture.ts',
    before: 'current === null && lead.archivedAt === undefined && !(',
    after: 'current === null && !(',
    how: 'A capture fills an archived lead.',
    foundBy:
      'An enquiry meets a lead with other values, then an email that another lead has, then an archived lead',
  },
  {
    name: 'notes lost',
    file: 'shared/leads/capture.ts',
    before: '  ...(notes && { notes }),\n',
    after: '',
    how: 'The notes of an enquiry are not kept.',
    foundBy: 'Clients race to capture one person in two organizations',
  },
  {
    name: 'answer of an archived match',
    file: 'shared/leads/capture.ts',
    before: 'const result = { id: match.id, created: false, updated: isFilled, ...archived };',
    after: 'const result = { id: match.id, created: false, updated: isFilled };',
    how: 'An answer does not tell that the lead is archived.',
    foundBy:
      'An enquiry meets a lead with other values, then an email that another lead has, then an archived lead',
  },
];
