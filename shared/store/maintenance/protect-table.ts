import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Table } from '../table/client.ts';
import { tableDefinition } from '../table/table-definition.ts';

/** What a restored table lacks (AWS: Restoring a table, "You must manually set up the following"). */
export const protections = ['expiry', 'pointInTimeRecovery', 'deletionProtection'] as const;
export type Protection = (typeof protections)[number];

/** `begun`: DynamoDB has taken the order, which may take it an hour; `unknown here`: an engine that is not DynamoDB has no such thing. */
export type ProtectionState = 'on' | 'begun' | 'unknown here';
type Look = ProtectionState | 'off';

const lookEveryMs = 2000;

/**
 * Switches on what a restored table lacks and waits until DynamoDB has it, each for `patienceMs` at the most.
 * @param onWait told what is waited for
 * @throws Error of DynamoDB when it refuses, or when it still says `off`
 */
export async function protectTable(
  table: Table,
  { patienceMs = 120_000, onWait = () => undefined }: { patienceMs?: number; onWait?: (protection: Protection) => void } = {},
): Promise<Record<Protection, ProtectionState>> {
  const states: Partial<Record<Protection, ProtectionState>> = {};
  for (const protection of protections) {
    const { look, order } = switches[protection];
    states[protection] = await knownHere(async () => {
      let state = await look(table);
      if (state !== 'off') return state;
      await orderPatiently(() => order(table), patienceMs);
      const giveUpAt = Date.now() + patienceMs;
      for (state = await look(table); state === 'off'; state = await look(table)) {
        if (Date.now() >= giveUpAt) throw new Error(`DynamoDB does not switch on ${protection} of table ${table.name}.`);
        onWait(protection);
        await sleep(lookEveryMs);
      }
      return state;
    });
  }
  return states as Record<Protection, ProtectionState>;
}

const switches: Record<Protection, { look: (table: Table) => Promise<Look>; order: (table: Table) => Promise<unknown> }> = {
  expiry: {
    async look({ client, name: TableName }) {
      const { TimeToLiveDescription: found } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
      if (found?.TimeToLiveStatus === 'ENABLED') return 'on';
      return found?.TimeToLiveStatus === 'ENABLING' ? 'begun' : 'off';
    },
    order: ({ client, name: TableName }) => {
      const TimeToLiveSpecification = { Enabled: true, AttributeName: tableDefinition.timeToLiveAttribute };
      return client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    },
  },
  pointInTimeRecovery: {
    async look({ client, name: TableName }) {
      const { ContinuousBackupsDescription: found } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
      return found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED' ? 'on' : 'off';
    },
    order: ({ client, name: TableName }) => {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      return client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    },
  },
  deletionProtection: {
    async look({ client, name: TableName }) {
      const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
      return found?.DeletionProtectionEnabled ? 'on' : 'off';
    },
    order: ({ client, name: TableName }) => client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true })),
  },
};

/** A table that was just restored can be busy with it (AWS: UpdateContinuousBackups and UpdateTable, Errors). */
const busyNames = new Set(['ContinuousBackupsUnavailableException', 'ResourceInUseException', 'LimitExceededException']);

async function orderPatiently(order: () => Promise<unknown>, patienceMs: number): Promise<void> {
  for (const giveUpAt = Date.now() + patienceMs; ; await sleep(lookEveryMs)) {
    try {
      await order();
      return;
    } catch (error) {
      if (!busyNames.has((error as Error).name) || Date.now() >= giveUpAt) throw error;
    }
  }
}

async function knownHere(ask: () => Promise<ProtectionState>): Promise<ProtectionState> {
  try {
    return await ask();
  } catch (error) {
    if ((error as Error).name === 'UnknownOperationException') return 'unknown here';
    throw error;
  }
}
