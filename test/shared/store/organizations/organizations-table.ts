import { randomInt } from 'node:crypto';
import { clientConfig } from '../../../../infra/local/table.ts';
import { limits } from '../../../../shared/limits.ts';
import { parseSettingsFile } from '../../../../shared/organization/settings.ts';
import type { Settings } from '../../../../shared/organization/settings-types.ts';
import { openTable, type Table } from '../../../../shared/store/table/client.ts';
import { service } from '../../../support/service.ts';
import { northwind } from '../../organization/settings-cases.ts';

/** The table of the service that the test run serves. */
export function serviceTable(config: Parameters<typeof openTable>[1] = {}): Table {
  const environment = service().environment as Parameters<typeof clientConfig>[0];
  return openTable(environment.LEADS_TABLE, { ...clientConfig(environment), ...config });
}

/** Settings of an organization that no other test has, as test files share one table. */
export const newSettings = (): Settings => ({
  ...parseSettingsFile(JSON.stringify(northwind())).settings,
  id: randomInt(1_000_000, limits.idMax),
});
