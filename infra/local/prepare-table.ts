import { openTable } from '../../shared/store/table/client.ts';
import {
  applyFile,
  createKeysOf,
  type OrganizationFile,
  type ServedOrganization,
} from './settings-at-start.ts';
import { StartError } from './start-error.ts';
import {
  createTable,
  engineAnswersWithinMs,
  engineTimeout,
  startingConfig,
  type TableEnvironment,
} from './table.ts';

export interface TablePreparation {
  readonly environment: TableEnvironment;
  readonly files: readonly OrganizationFile[];
  /** Prints a sentence for the person who waits. */
  readonly tell: (sentence: string) => void;
  /** The time limit of each call. */
  readonly answersWithinMs?: number;
}

/** Creates the table, applies the settings files one after the other, and then creates their keys. @throws StartError for any failure of the engine */
export async function prepareTable(preparation: TablePreparation): Promise<ServedOrganization[]> {
  const { environment, files, tell, answersWithinMs = engineAnswersWithinMs } = preparation;
  await createTable(environment, answersWithinMs);
  const table = openTable(environment.LEADS_TABLE, startingConfig(environment, answersWithinMs));
  try {
    for (const file of files) await applyFile(table, file, tell);
    // Only a start that is not refused shows the keys that it created.
    const organizations: ServedOrganization[] = [];
    for (const file of files) organizations.push(await createKeysOf(table, file));
    return organizations;
  } catch (error) {
    throw engineFailure(error, environment.AWS_ENDPOINT_URL_DYNAMODB, answersWithinMs) ?? error;
  } finally {
    table.client.destroy();
  }
}

function engineFailure(
  error: unknown,
  endpoint: string,
  answersWithinMs: number,
): StartError | undefined {
  const timeout = engineTimeout(error, endpoint, answersWithinMs);
  if (timeout || !(error instanceof Error) || !('$metadata' in error)) return timeout;
  const { name, message } = error;
  return new StartError(
    `The engine at ${endpoint} failed (${name}: ${message}): start again, or check --engine.`,
    {
      cause: error,
    },
  );
}
