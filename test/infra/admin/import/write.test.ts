import { setTimeout } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { decide } from '../../../../infra/admin/import/decide.ts';
import type { ReadRow } from '../../../../infra/admin/import/rows.ts';
import { importRows, LeadWriter, type WriteOptions } from '../../../../infra/admin/import/write.ts';
import { FieldIssue } from '../../../../shared/leads/field-values.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { RateLimiter } from '../../../../shared/store/table/pacing.ts';
import { importedRowPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { UnknownOutcomeError } from '../../../../shared/store/table/transact.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { rowWith } from './given-files.ts';

afterEach(() => vi.restoreAllMocks());

const options: WriteOptions = {
  organizationId: 1,
  organization: async () => sampleOrganization(),
  keepIds: false,
  by: 'tester',
  erasing: new Set<number>(),
  dryRun: false,
  leadsPerSecond: Number.POSITIVE_INFINITY,
};

let numbers = 0;
/** A row whose owner is chosen by rotation. */
function givenRow(): ReadRow {
  numbers += 1;
  return rowWith(numbers, { name: 'Someone', phone: `+9198765${43210 + numbers}` });
}

type Answer = (command: unknown, signal: AbortSignal | undefined) => object | undefined;

/** A table without items, and with the sequence and the turns of an organization, unless `answer` says something else. */
function givenTable(answer: Answer = () => undefined) {
  const sent: unknown[] = [];
  const send = async (command: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    sent.push(command);
    const special = answer(command, abortSignal);
    if (special) return special;
    if (command instanceof BatchGetCommand) return { Responses: { leads: [] } };
    return { Attributes: { lastLeadId: 100, turns: 100 } };
  };
  return { sent, name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
}

const aborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });
const isTurn = (command: unknown): boolean =>
  command instanceof UpdateCommand && command.input.UpdateExpression === 'ADD turns :count';

const outcomesOf = async (
  table: ReturnType<typeof givenTable>,
  rows: readonly ReadRow[],
  settings: Partial<WriteOptions> = {},
) => {
  const writer = new LeadWriter(table, { ...options, ...settings });
  return (await writer.write(rows)).map(({ outcome }) => outcome);
};

test('33 new rows take one lookup, one write of IDs, one of rotations and a transaction each', async () => {
  const table = givenTable();

  const outcomes = await outcomesOf(table, Array.from({ length: 33 }, givenRow));

  expect(outcomes).toEqual(Array(33).fill('imported'));
  expect(table.sent).toEqual([
    expect.any(BatchGetCommand),
    ...Array(2).fill(expect.any(UpdateCommand)),
    ...Array(33).fill(expect.any(TransactWriteCommand)),
  ]);
});

test('rows that refer to an inactive item are written in turn, paced by the size of the settings', async () => {
  const take = vi.spyOn(RateLimiter.prototype, 'take');
  const { client, ...others } = givenTable();
  let [writing, most] = [0, 0];
  const signals: unknown[] = [];
  const send = async (command: unknown, more: { abortSignal?: AbortSignal } = {}) => {
    if (!(command instanceof TransactWriteCommand)) return client.send(command as never);
    signals.push(more.abortSignal);
    writing += 1;
    most = Math.max(most, writing);
    await setTimeout(1);
    writing -= 1;
    return {};
  };
  const exported = (number: number) => {
    const fields = { name: 'Old', phone: `+91987659000${number}`, source: 4 };
    return rowWith(number, fields, { mark: 'organization 1', leadId: number });
  };
  const table = { ...others, client: { send } as unknown as DynamoDBDocumentClient };

  expect(await outcomesOf(table, [1, 2, 3].map(exported))).toEqual(Array(3).fill('imported'));
  expect([most, signals]).toEqual([1, [undefined, undefined, undefined]]); // Without a deadline.
  const bytes = JSON.stringify(sampleOrganization()).length;
  expect(take.mock.calls).toEqual([[3 * (1 + Math.ceil(bytes / 1024))]]);
});

test('a row that names an owner takes no turn of a rotation', async () => {
  const table = givenTable();
  const owned = rowWith(1, { name: 'Owned', phone: '+919876500001', assigned_to: 7 });

  const outcomes = await outcomesOf(table, [owned, givenRow()]);

  expect(outcomes).toEqual(['imported', 'imported']);
  const turns = table.sent.filter(isTurn) as UpdateCommand[];
  expect(turns.map(({ input }) => input.ExpressionAttributeValues?.[':count'])).toEqual([1]);
});

test('a row whose write conflicts until its time is up is refused, because nothing was written', async () => {
  const start = Date.now();
  let seconds = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => start + 1000 * seconds++);
  const table = givenTable((command) => {
    if (!(command instanceof TransactWriteCommand)) return undefined;
    throw new TransactionCanceledException({
      $metadata: {},
      message: 'Another transaction writes the rotation.',
      CancellationReasons: [{ Code: 'TransactionConflict' }],
    });
  });

  expect(await outcomesOf(table, [givenRow()])).toEqual(['refused']);
});

/** The deadline of the first attempt. Later ones have time enough. */
function givenDeadline(): AbortController {
  const deadline = new AbortController();
  vi.spyOn(AbortSignal, 'timeout')
    .mockReturnValue(new AbortController().signal)
    .mockReturnValueOnce(deadline.signal);
  return deadline;
}

test('a write without a response until its deadline is aborted, and retried under the same lead ID', async () => {
  const deadline = givenDeadline();
  const isEnded: (boolean | undefined)[] = [];
  const table = givenTable((command, signal) => {
    if (!(command instanceof TransactWriteCommand)) return undefined;
    deadline.abort();
    isEnded.push(signal?.aborted);
    if (isEnded.length === 1) throw aborted();
    return {};
  });

  const outcomes = await outcomesOf(table, [givenRow()]);

  expect(outcomes).toEqual(['imported']);
  expect(isEnded).toEqual([true, false]);
  const ids = table.sent.flatMap((command) =>
    command instanceof TransactWriteCommand
      ? [command.input.TransactItems?.[0]?.Put?.Item?.leadId]
      : [],
  );
  expect(ids).toEqual([100, 100]);
});

/** Settings that allow a lead at first, and then no longer, because nobody is active. */
function forbiddenLater(): () => Promise<Organization> {
  const noOneActive = { ...sampleOrganization(), users: [], userById: new Map() };
  const readings = [sampleOrganization(), sampleOrganization()];
  return async () => readings.shift() ?? noOneActive;
}

test('a row that was not written before its deadline is refused by settings that forbid it since', async () => {
  const deadline = givenDeadline();
  const table = givenTable((command) => {
    if (!isTurn(command)) return undefined;
    deadline.abort();
    throw aborted();
  });

  const outcomes = await outcomesOf(table, [givenRow()], { organization: forbiddenLater() });

  expect(outcomes).toEqual(['refused']);
  expect(table.sent.some((command) => command instanceof TransactWriteCommand)).toBe(false);
});

test('a row that may have been written is not refused by later settings: its outcome is unknown', async () => {
  const deadline = givenDeadline();
  const table = givenTable((command) => {
    if (!(command instanceof TransactWriteCommand)) return undefined;
    deadline.abort();
    throw aborted();
  });

  const outcomes = outcomesOf(table, [givenRow()], { organization: forbiddenLater() });

  await expect(outcomes).rejects.toThrow(UnknownOutcomeError);
});

test('settings that arrive after an attempt’s deadline are read again before a lead is written', async () => {
  const begun: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const deadline = new AbortController();
    begun.push(deadline);
    return deadline.signal;
  });
  let reads = 0;
  const organization = async () => {
    reads += 1;
    if (reads === 2) for (const deadline of begun) deadline.abort(); // The first is for the decisions.
    return sampleOrganization();
  };
  const readsBefore: number[] = [];
  const table = givenTable((command) => {
    if (command instanceof TransactWriteCommand) readsBefore.push(reads);
    return undefined;
  });

  expect(await outcomesOf(table, [givenRow()], { organization })).toEqual(['imported']);
  expect(readsBefore).toEqual([3]);
});

test.each([
  ['the same digest', 'alreadyThere'],
  ['another digest', 'refused'],
])(
  'a row that another run has imported meanwhile, read as %s, has the outcome %s',
  async (reading, expected) => {
    const row = givenRow();
    const { digest, readDigest: same } = decide(sampleOrganization(), row).digests;
    const readDigest = reading === 'the same digest' ? same : reading;
    const record = { ...importedRowPrimaryKey(1, digest), leadId: 99, readDigest };
    const table = givenTable((command) => {
      if (!(command instanceof TransactWriteCommand)) return undefined;
      throw new TransactionCanceledException({
        $metadata: {},
        message: 'The row has a record.',
        CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: marshall(record) }],
      });
    });

    expect(await outcomesOf(table, [row])).toEqual([expected]);
  },
);

test('the stored digest of a row covers its values, in any order and without the mark', () => {
  const budget = new FieldIssue('invalid_number', 'must be a number.');
  const sent = {
    fields: { phone: '12', name: 'Asha', city: null, budget },
    properties: { stage: 'New', mark: 'organization 1', note: 'Hi' },
  };

  const { digests } = decide(sampleOrganization(), { ...rowWith(2, {}), sent });

  expect(digests).toEqual({
    digest: '657995c511bc3c561a9fdadc696c08b2764d706193a478151b45e684a0c402a2',
    readDigest: 'c0d5a02b0bf0898b3e70ddcec6a7b7e747789a057053264299cb291370936b0c',
  });
});

function* brokenFile(): Generator<ReadRow> {
  for (const number of [2, 3])
    yield rowWith(number, { name: 'Asha', phone: `+9198765432${number}0` });
  throw new Error('The disk is gone.');
}

test.each([
  ['a file that cannot be read further, after the rows before it', 2, 'The disk is gone.'],
  ['a table, and begins no further batch', 1, 'The table is gone.'],
])('an import ends with the error of %s', async (_, lookUps, message) => {
  const table = givenTable(() => {
    if (message === 'The table is gone.') throw new Error(message);
    return undefined;
  });

  const counts = importRows(table, {
    ...options,
    rows: brokenFile(),
    dryRun: true,
    leadsPerSecond: 2, // So few that each batch is one row.
    onWritten: () => undefined,
  });

  await expect(counts).rejects.toThrow(message);
  expect(table.sent).toHaveLength(lookUps);
});
