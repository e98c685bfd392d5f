import { type Table, usableUntil } from '../../shared/store/table/client.ts';

const writeTimeoutMs = 7000;

/**
 * A table for one write. Call it before the settings are read, so that the write ends within 8 s of that read. Settings are at most 1 s old
 * (`currentOrganization`), and a late response only shortens the time for the write. An apply that removes a user waits longer
 * (apply-settings.ts), so no lead is given to a user who is being removed.
 */
export const tableForOneWrite = (table: Table): Table =>
  usableUntil(table, AbortSignal.timeout(writeTimeoutMs));
