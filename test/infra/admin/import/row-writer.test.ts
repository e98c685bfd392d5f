import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { type Draft, RowReader } from '../../../../infra/admin/import/row-reader.ts';
import { RowWriter, type WriteOptions } from '../../../../infra/admin/import/row-writer.ts';
import { importedRowPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { sampleOrganization } from '../../../support/settings.ts';

afterEach(() => vi.restoreAllMocks());

const options: WriteOptions = {
  organization: () => Promise.reject(new Error('The settings are not read again.')),
  keepIds: false,
  dryRun: false,
  leadsPerSecond: Number.POSITIVE_INFINITY,
};

const draft = (leadId: number): Draft => ({
  row: { number: leadId, read: '', original: { cells: [] } },
  input: { isExported: false, fields: {}, properties: {} },
  digests: { digest: `digest ${leadId}`, readDigest: `digest ${leadId}` },
  place: { before: undefined, done: () => undefined },
  read: {
    fields: { name: 'Someone', phone: `+9198765432${leadId}`, assigned_to: 7 },
    stage: {
      id: 11,
      name: 'New',
      slug: 'new',
      order: 1,
      meaning: 'open',
      isDefault: true,
      active: true,
      pipelineId: 1,
    },
    createdAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:00:00.000Z',
    leadId: undefined,
    rotation: undefined,
    archivedAt: undefined,
    note: undefined,
  },
  readAt: Date.now(),
  leadId,
});

test('leads that are written together are written until the first of their deadlines', async () => {
  const deadlines = [new AbortController(), new AbortController()];
  let rows = 0;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(
    () => deadlines[rows++]?.signal ?? AbortSignal.abort(),
  );
  const isEnded: boolean[] = [];
  const send = async (_command: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
    if (isEnded.length === 0) deadlines[1]?.abort();
    isEnded.push(abortSignal.aborted);
    return {};
  };
  const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
  const writer = new RowWriter(table, options, new RowReader({ headingOf: new Map() }));

  const results = await Promise.all(
    [11, 12].map((leadId) => writer.write(1, draft(leadId), undefined)),
  );

  expect(results).toEqual([{ outcome: 'imported' }, { outcome: 'imported' }]);
  expect(isEnded).toEqual([true]);
});

test('a row that waited for another is not looked up and not written once a row has failed', async () => {
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    sent.push(command);
    throw new Error('The table is gone.');
  };
  const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
  const writer = new RowWriter(table, options, new RowReader({ headingOf: new Map() }));
  const turn = Promise.withResolvers<void>();
  const waiting: Draft = { ...draft(12), place: { before: turn.promise, done: () => undefined } };

  const results = Promise.allSettled([
    writer.write(1, draft(11), undefined).finally(turn.resolve),
    writer.write(1, waiting, undefined),
  ]);

  const failed = { status: 'rejected', reason: new Error('The table is gone.') };
  expect(await results).toEqual([failed, failed]);
  expect(JSON.stringify(sent)).not.toContain('digest 12');
});

/** A draft whose owner is chosen by rotation. */
function rotatedDraft(leadId: number): Draft {
  const { read, ...rest } = draft(leadId);
  const { assigned_to: _owner, ...fields } = read.fields;
  return { ...rest, read: { ...read, fields, rotation: { rule: 'all', userIds: [7, 8] } } };
}

/** A table whose first call meets the end of a deadline. */
function tableThatIsSlowOnce(deadline: AbortController) {
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    sent.push(command);
    if (sent.length > 1) return { Attributes: { turns: 2 } };
    deadline.abort();
    throw Object.assign(new Error('Request aborted'), { name: 'AbortError' });
  };
  return { sent, name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
}

test('a row of which nothing was written before its deadline is refused by settings that forbid it since', async () => {
  const deadline = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
  const table = tableThatIsSlowOnce(deadline);
  const settings = { ...options, organization: async () => sampleOrganization() };
  const writer = new RowWriter(table, settings, new RowReader({ headingOf: new Map() }));

  const result = await writer.write(1, rotatedDraft(11), undefined); // its input lacks a name

  expect(result).toMatchObject({ outcome: 'refused' });
  expect(table.sent).toEqual([expect.any(UpdateCommand)]);
});

test('rows whose rotation ended with the deadline of one of them are tried again, all', async () => {
  const deadline = new AbortController();
  vi.spyOn(AbortSignal, 'timeout')
    .mockReturnValue(new AbortController().signal)
    .mockReturnValueOnce(deadline.signal);
  const table = tableThatIsSlowOnce(deadline);
  const reader = new RowReader({ headingOf: new Map() });
  vi.spyOn(reader, 'read').mockReturnValue(rotatedDraft(11).read);
  const settings = { ...options, organization: async () => sampleOrganization() };
  const writer = new RowWriter(table, settings, reader);

  const results = await Promise.all(
    [11, 12].map((leadId) => writer.write(1, rotatedDraft(leadId), undefined)),
  );

  expect(results).toEqual([{ outcome: 'imported' }, { outcome: 'imported' }]);
});

test.each([
  ['digest 11', { outcome: 'alreadyThere' }],
  ['another digest', { outcome: 'refused', issues: [{ sentence: expect.any(String) }] }],
])(
  'a row that another run has imported meanwhile, read as %s, has the outcome %j',
  async (readDigest, expected) => {
    const record = { ...importedRowPrimaryKey(1, 'digest 11'), leadId: 99, readDigest };
    const send = async () => {
      throw new TransactionCanceledException({
        $metadata: {},
        message: 'The row has a record.',
        CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: marshall(record) }],
      });
    };
    const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
    const writer = new RowWriter(table, options, new RowReader({ headingOf: new Map() }));

    expect(await writer.write(1, draft(11), undefined)).toEqual(expected);
  },
);
