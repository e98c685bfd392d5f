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

/** A monthly backup is kept for a year. A daily one is kept for 35 days, as far as point-in-time recovery reaches back. */
const keptDays = { daily: 35, monthly: 365 } as const;

/**
 * Backups that outlive the table: AWS Backup copies it daily and monthly into a vault. With `backupCopyTo`, it then copies each backup to a
 * vault in another region or account. Point-in-time recovery can restore any second, but is lost with the account. The option `backup` says
 * what is kept.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, table: LeadTable, options: ServiceOptions) {
    super(scope, id);
    this.vault = new BackupVault(this, 'Vault', {
      // The CDK's default name would be the same for every environment in an account.
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
    // AWS maintains this policy for AWS Backup (https://docs.aws.amazon.com/aws-backup/latest/devguide/security-iam-awsmanpol.html).
    role.addManagedPolicy(
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSBackupServiceRolePolicyForBackup'),
    );
    table.grantKeyTo(role);
    plan.addSelection('Table', {
      role,
      resources: [BackupResource.fromDynamoDbTable(table.table)],
      // The name contains the table's, because a new table replaces the selection, and CloudFormation creates the new one first. AWS Backup
      // allows 50 characters.
      backupSelectionName: (options.tableName ?? 'Table').slice(-50),
      disableDefaultBackupPolicy: true, // the role has it already
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
 * `governance`: only people who may remove the lock can delete a backup early. `compliance`: after three days, nobody can, not even AWS
 * (https://docs.aws.amazon.com/aws-backup/latest/devguide/vault-lock.html).
 */
const lock = (mode: NonNullable<ServiceOptions['backupLock']>): LockConfiguration => ({
  minRetention: Duration.days(keptDays.daily),
  ...(mode === 'compliance' && { changeableFor: Duration.days(3) }),
});
