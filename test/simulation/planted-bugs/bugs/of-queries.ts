import type { PlantedBug } from '../planted-bug.ts';

const everyOperator = 'Leads are found by every operator of every type of field';
const operators = 'shared/leads/filter-operators.ts';
const fullAnswer = 'Leads of quotes alone fill an answer, which is escaped twice';
const inactiveStage =
  'Leads in a stage that became inactive are in the lists of its pipeline, and in no other';

/** Of filters and of the size of an answer. */
export const bugsOfQueries: readonly PlantedBug[] = [
  {
    name: 'text compared with its case',
    file: operators,
    before: '({ folded }) => folded === operand',
    after: '({ value }) => value === operand',
    how: 'The filter equals tells upper case from lower case.',
    foundBy: everyOperator,
  },
  {
    name: 'part searched with its case',
    file: operators,
    before: 'const isIn = partFinder(foldedFirst(operands));',
    after: 'const isIn = partFinder(String(first(operands)));',
    how: 'The filter contains tells upper case from lower case.',
    foundBy: everyOperator,
  },
  {
    name: 'greater or equal',
    file: operators,
    before: 'gt: comparing((value, operand) => value > operand)',
    after: 'gt: comparing((value, operand) => value >= operand)',
    how: 'The filter gt finds what is equal.',
    foundBy: everyOperator,
  },
  {
    name: 'between without its end',
    file: operators,
    before: 'value >= from && value <= to',
    after: 'value >= from && value < to',
    how: 'The filter between leaves its upper end out.',
    foundBy: everyOperator,
  },
  {
    name: 'no value is not unticked',
    file: operators,
    before: "new Set(['is_empty', 'is_false'])",
    after: "new Set(['is_empty'])",
    how: 'A checkbox without a value is not found as unticked.',
    foundBy: everyOperator,
  },
  {
    name: 'all of a list',
    file: operators,
    before: 'value.some((one) => accepted.has(one))',
    after: 'value.every((one) => accepted.has(one))',
    how: 'The filter has_any_of wants every option of a lead.',
    foundBy: everyOperator,
  },
  {
    name: 'one filter is enough',
    file: 'shared/leads/filters.ts',
    before: 'return filters.every(({ fieldKey',
    after: 'return filters.length === 0 || filters.some(({ fieldKey',
    how: 'A lead is listed that one of several filters matches.',
    foundBy: everyOperator,
  },
  {
    name: 'phone searched as it is spelled',
    file: 'shared/leads/filters.ts',
    before: 'return isPart ? digits : (parsePhone(text) ?? digits);',
    after: 'return isPart ? text : (parsePhone(text) ?? digits);',
    how: 'A part of a phone is not found with a space in it.',
    foundBy: everyOperator,
  },
  {
    name: 'one filter too many',
    file: 'shared/leads/filters.ts',
    before: 'position >= limits.filtersMax',
    after: 'position > limits.filtersMax',
    how: 'Eleven filters are taken.',
    foundBy: everyOperator,
  },
  {
    name: 'long part half found',
    file: 'shared/leads/text-search.ts',
    before:
      'while (matched > 0 && codes[matched] !== code) matched = overlaps[matched - 1] ?? 0;\n      if (codes[matched] === code) matched += 1;\n      if (matched',
    after:
      'while (matched > 0 && codes[matched] !== code) matched = 0;\n      if (codes[matched] === code) matched += 1;\n      if (matched',
    how: 'A long part that overlaps with itself is not found.',
    foundBy: everyOperator,
  },
  {
    name: 'active stages of a pipeline only',
    file: 'shared/leads/lead-query.ts',
    before: 'stage.pipelineId === pipelineId)',
    after: 'stage.pipelineId === pipelineId && stage.active)',
    how: 'The list of a pipeline lacks leads in a stage that is not active.',
    foundBy: inactiveStage,
  },
  {
    name: 'answer without an end',
    file: 'shared/leads/lead-query.ts',
    before: 'return bytesLeft >= 0;',
    after: 'return true;',
    how: 'An answer is larger than Lambda returns.',
    foundBy: fullAnswer,
  },
  {
    name: 'answer counted unescaped',
    file: 'shared/leads/lead-query.ts',
    before: 'Buffer.byteLength(JSON.stringify(JSON.stringify(presentLead(organization, lead))))',
    after: 'Buffer.byteLength(JSON.stringify(presentLead(organization, lead)))',
    how: 'An answer is counted before it is escaped.',
    foundBy: fullAnswer,
  },
  {
    name: 'transaction under way is final',
    file: 'shared/store/table/transact.ts',
    before: '  if (error instanceof TransactionInProgressException) return true;\n',
    after: '',
    how: 'A transaction that is under way is not asked for again.',
    foundBy:
      'A connection breaks while a transaction is under way, and it is asked for again meanwhile',
  },
  {
    name: 'transaction under way taken as a conflict',
    file: 'shared/store/table/transact.ts',
    before: '} else if (isUnknownOutcome(error)) {',
    after:
      "} else if (error instanceof TransactionInProgressException) { return { outcome: 'conflict' } as const; } else if (isUnknownOutcome(error)) {",
    how: 'A transaction that is under way is begun once more under another token.',
    foundBy:
      'A connection breaks while a transaction is under way, and it is asked for again meanwhile',
  },
  {
    name: 'unprocessed keys given up',
    file: 'shared/store/table/batch-get.ts',
    before: 'if (Date.now() >= giveUpAt) break;',
    after: 'if (attempt >= 5) break;',
    how: 'Keys that DynamoDB left unprocessed five times are given up.',
    foundBy: 'DynamoDB reads one key of each batch, however often it is asked for the others',
  },
  {
    name: 'unprocessed keys lost',
    file: 'shared/store/table/batch-get.ts',
    before: 'const unprocessed = UnprocessedKeys?.[table.name]?.Keys ?? [];',
    after: 'const unprocessed = (attempt >= 2 ? [] : UnprocessedKeys?.[table.name]?.Keys) ?? [];',
    how: 'Keys that DynamoDB left unprocessed three times count as absent.',
    foundBy: 'DynamoDB leaves keys of batches unread',
  },
  {
    name: 'throttled transaction taken as a conflict',
    file: 'shared/store/table/transact.ts',
    before: "? 'throttled' : undefined;",
    after: "? 'conflict' : undefined;",
    how: 'A capture that DynamoDB throttles is told that its key is in use.',
    foundBy: 'A transaction is throttled for longer than a request waits',
  },
  {
    name: 'outage told as contention',
    file: 'shared/store/table/transact.ts',
    before: 'throw error instanceof ContentionError ? outage : error;',
    after: 'throw error;',
    how: 'A capture is told of another request during an outage.',
    foundBy: 'A transaction is throttled for longer than a request waits',
  },
  {
    name: 'throttled account is final',
    file: 'shared/store/table/failure-metric.ts',
    before: "'ProvisionedThroughputExceededException', 'RequestLimitExceeded', ]);",
    after: "'ProvisionedThroughputExceededException' ]);",
    how: 'A transaction fails at once while the account is throttled.',
    foundBy: 'An account, or a partition, is throttled three times, and then it is not',
  },
];
