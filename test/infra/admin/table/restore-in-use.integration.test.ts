import { expect, test } from 'vitest';
import { finishRestore } from '../../../../shared/store/maintenance/restore/finish-restore.ts';
import { addAuditEntry } from '../../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { givenBackup, takeLeadIds, who } from './given-backup.ts';
import { finish, restored } from './restored-tables.ts';

test.concurrent.each<[string, (old: Table, organizationId: number) => Promise<unknown>]>([
  ['a request', (old, organizationId) => takeLeadIds(old, organizationId, 1)],
  [
    "an administrator's change",
    (old, organizationId) => addAuditEntry(old, organizationId, { who, what: 'lead archive 1' }),
  ],
])(
  'a restore fails when %s reaches the old table meanwhile, and a repeat without one succeeds',
  async (_, reach) => {
    const { old, organization, backup } = await givenBackup(2);
    const on = await restored(backup);

    const restore = finishRestore(on, {
      old,
      keptKeyIds: new Set(),
      action: { who, what: 'restore finish' },
      confirm: async () => void (await reach(old, organization.id)),
    });

    await expect(restore).rejects.toThrow(
      `Table ${old.name} was in use during the restore (organization ${organization.id}): stop all requests with service stop --stack NAME`,
    );
    expect((await finish(on, '--from', old.name)).status).toBe(0);
  },
);
