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

/** The protections that a restored table lacks (AWS: Restoring a table, "You must manually set up the following"). */
export type Protection = 'expiry' | 'pointInTimeRecovery' | 'deletionProtection';

/**
 * `begun`: DynamoDB is switching the protection on, which may take an hour. `unknown here`: the engine is not DynamoDB, and does not
 * support it.
 */
export type ProtectionState = 'on' | 'begun' | 'unknown here';

const pollMs = 2000;
const timeoutMs = 120_000;

/**
 * Switches on each protection that a restored table lacks, and waits up to two minutes for it.
 * @param onWait called with each protection that is not on yet
 * @throws Error if DynamoDB rejects the change, or if a protection is still off after that time
 */
export async function protectTable(
  table: Table,
  onWait: (protection: Protection) => void,
): Promise<Record<Protection, ProtectionState>> {
  const switches = switchesOf(table);
  const protect = async (protection: Protection): Promise<ProtectionState> => {
    const giveUpAt = Date.now() + timeoutMs;
    const { status, switchOn } = switches[protection];
    for (let isRequested = false; ; ) {
      const now = await status();
      if (now === 'ENABLED') return 'on';
      if (now === 'ENABLING') return 'begun';
      if (!isRequested) {
        isRequested = await isAccepted(switchOn());
        if (isRequested) continue;
      }
      if (Date.now() >= giveUpAt)
        throw new Error(
          `DynamoDB has not switched on ${protection} of table ${table.name}: repeat the command.`,
        );
      onWait(protection);
      await sleep(pollMs);
    }
  };
  const orUnknown = (error: unknown): ProtectionState => {
    if (error instanceof Error && error.name === 'UnknownOperationException') return 'unknown here';
    throw error;
  };
  return {
    expiry: await protect('expiry').catch(orUnknown),
    pointInTimeRecovery: await protect('pointInTimeRecovery').catch(orUnknown),
    deletionProtection: await protect('deletionProtection').catch(orUnknown),
  };
}

/** The errors of a table that is busy because it was just restored (AWS: UpdateContinuousBackups and UpdateTable, Errors). */
const busyNames = new Set([
  'ContinuousBackupsUnavailableException',
  'ResourceInUseException',
  'LimitExceededException',
]);

async function isAccepted(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof Error && busyNames.has(error.name)) return false;
    throw error;
  }
}

interface Switch {
  /** DynamoDB's own status: `ENABLED`, `ENABLING`, or any other value for off. */
  status(): Promise<string | undefined>;
  switchOn(): Promise<unknown>;
}

const switchesOf = ({ client, name: TableName }: Table): Record<Protection, Switch> => ({
  expiry: {
    async status() {
      const { TimeToLiveDescription: found } = await client.send(
        new DescribeTimeToLiveCommand({ TableName }),
      );
      return found?.TimeToLiveStatus;
    },
    switchOn() {
      const AttributeName = tableDefinition.timeToLiveAttribute;
      const TimeToLiveSpecification = { Enabled: true, AttributeName };
      return client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    },
  },
  pointInTimeRecovery: {
    async status() {
      const { ContinuousBackupsDescription: found } = await client.send(
        new DescribeContinuousBackupsCommand({ TableName }),
      );
      return found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
    },
    switchOn() {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      const change = { TableName, PointInTimeRecoverySpecification };
      return client.send(new UpdateContinuousBackupsCommand(change));
    },
  },
  deletionProtection: {
    async status() {
      const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
      return found?.DeletionProtectionEnabled ? 'ENABLED' : undefined;
    },
    switchOn: () =>
      client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true })),
  },
});
