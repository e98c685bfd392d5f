import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupVault,
  type IBackupVault,
  type LockConfiguration,
} from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { LeadTable } from './lead-table.ts';
import type { ServiceOptions } from './service-options.ts';

/** A monthly backup is kept for a year, a daily one for 35 days: as long as point-in-time recovery reaches back. */
const keptDays = { daily: 35, monthly: 365 } as const;

/**
 * Backups of the table that outlive it: AWS Backup copies it daily and monthly into a vault, and from there to another vault with
 * `backupCopyTo`, in another region or account. Point-in-time recovery reaches any second, but ends with the account. The option `backup`
 * says what is kept.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, table: LeadTable, options: ServiceOptions) {
    super(scope, id);
    this.vault = new BackupVault(this, 'Vault', {
      // The name that the CDK makes is the same for each environment in an account.
      backupVaultName: options.serviceName,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...(options.backupLock && { lockConfiguration: lock(options.backupLock) }),
    });
    const copyTo = options.backupCopyTo
      ? BackupVault.fromBackupVaultArn(this, 'Copy', options.backupCopyTo)
      : undefined;
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: options.serviceName,
      backupVault: this.vault,
      backupPlanRules: [
        rule('daily', Schedule.cron({ hour: '3', minute: '0' }), copyTo),
        rule('monthly', Schedule.cron({ day: '1', hour: '4', minute: '0' }), copyTo),
      ],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
    });
    // The policy that AWS maintains for the service (https://docs.aws.amazon.com/aws-backup/latest/devguide/security-iam-awsmanpol.html).
    role.addManagedPolicy(
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSBackupServiceRolePolicyForBackup'),
    );
    table.grantKeyTo(role);
    plan.addSelection('Table', {
      role,
      resources: [BackupResource.fromDynamoDbTable(table.table)],
      // Another table replaces the selection, and the new one is created first. AWS Backup allows 50 characters.
      backupSelectionName: (options.tableName ?? 'Table').slice(-50),
      disableDefaultBackupPolicy: true, // the role has it
    });
    acknowledge(role, {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason:
        'AWS Backup documents this policy for its roles and extends it as its features need; only AWS Backup can assume the role.',
    });
  }
}

function rule(name: keyof typeof keptDays, scheduleExpression: Schedule, copyTo?: IBackupVault) {
  const deleteAfter = Duration.days(keptDays[name]);
  return new BackupPlanRule({
    ruleName: name,
    scheduleExpression,
    startWindow: Duration.hours(1),
    completionWindow: Duration.hours(12),
    deleteAfter,
    ...(copyTo && { copyActions: [{ destinationBackupVault: copyTo, deleteAfter }] }),
  });
}

/**
 * `governance`: nobody deletes a backup early but those who may remove the lock. `compliance`: nobody at all, not even AWS, once three days
 * have passed (https://docs.aws.amazon.com/aws-backup/latest/devguide/vault-lock.html).
 */
const lock = (mode: NonNullable<ServiceOptions['backupLock']>): LockConfiguration => ({
  minRetention: Duration.days(keptDays.daily),
  ...(mode === 'compliance' && { changeableFor: Duration.days(3) }),
});
