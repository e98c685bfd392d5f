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

/** `begun`: DynamoDB is switching it on, which may take an hour; `unknown here`: an engine other than DynamoDB that does not support it. */
export type ProtectionState = 'on' | 'begun' | 'unknown here';
type SwitchState = ProtectionState | 'off';

const pollMs = 2000;

export interface ProtectOptions {
  readonly timeoutMs?: number;
  readonly onWait?: (protection: Protection) => void;
}

/**
 * Switches on what a restored table lacks, and waits up to `timeoutMs` for each protection.
 * @param onWait called with the protection that is not on yet
 * @throws Error of DynamoDB if it rejects the change; Error if a protection is still off after `timeoutMs`
 */
export async function protectTable(
  table: Table,
  { timeoutMs = 120_000, onWait = () => undefined }: ProtectOptions = {},
): Promise<Record<Protection, ProtectionState>> {
  const states: Partial<Record<Protection, ProtectionState>> = {};
  for (const protection of protections) {
    const { read, switchOn } = switches[protection];
    states[protection] = await orUnknown(async () => {
      let state = await read(table);
      if (state !== 'off') return state;
      await retryWhileBusy(() => switchOn(table), timeoutMs);
      const giveUpAt = Date.now() + timeoutMs;
      for (state = await read(table); state === 'off'; state = await read(table)) {
        if (Date.now() >= giveUpAt)
          throw new Error(
            `DynamoDB has not switched on ${protection} of table ${table.name}: repeat the command.`,
          );
        onWait(protection);
        await sleep(pollMs);
      }
      return state;
    });
  }
  return states as Record<Protection, ProtectionState>;
}

interface Switch {
  read(table: Table): Promise<SwitchState>;
  switchOn(table: Table): Promise<unknown>;
}

const switches: Record<Protection, Switch> = {
  expiry: {
    async read({ client, name: TableName }) {
      const { TimeToLiveDescription: found } = await client.send(
        new DescribeTimeToLiveCommand({ TableName }),
      );
      if (found?.TimeToLiveStatus === 'ENABLED') return 'on';
      return found?.TimeToLiveStatus === 'ENABLING' ? 'begun' : 'off';
    },
    switchOn: ({ client, name: TableName }) => {
      const TimeToLiveSpecification = {
        Enabled: true,
        AttributeName: tableDefinition.timeToLiveAttribute,
      };
      return client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    },
  },
  pointInTimeRecovery: {
    async read({ client, name: TableName }) {
      const { ContinuousBackupsDescription: found } = await client.send(
        new DescribeContinuousBackupsCommand({ TableName }),
      );
      return found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED'
        ? 'on'
        : 'off';
    },
    switchOn: ({ client, name: TableName }) => {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      return client.send(
        new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
      );
    },
  },
  deletionProtection: {
    async read({ client, name: TableName }) {
      const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
      return found?.DeletionProtectionEnabled ? 'on' : 'off';
    },
    switchOn: ({ client, name: TableName }) =>
      client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true })),
  },
};

/** A table that was just restored may be busy (AWS: UpdateContinuousBackups and UpdateTable, Errors). */
const busyNames = new Set([
  'ContinuousBackupsUnavailableException',
  'ResourceInUseException',
  'LimitExceededException',
]);

async function retryWhileBusy(operation: () => Promise<unknown>, timeoutMs: number): Promise<void> {
  for (const giveUpAt = Date.now() + timeoutMs; ; await sleep(pollMs)) {
    try {
      await operation();
      return;
    } catch (error) {
      if (!busyNames.has(nameOf(error) ?? '') || Date.now() >= giveUpAt) throw error;
    }
  }
}

async function orUnknown(operation: () => Promise<ProtectionState>): Promise<ProtectionState> {
  try {
    return await operation();
  } catch (error) {
    if (nameOf(error) === 'UnknownOperationException') return 'unknown here';
    throw error;
  }
}

const nameOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.name : undefined;
