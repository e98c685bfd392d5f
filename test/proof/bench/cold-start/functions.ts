import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bundleFunctions } from '../../../../infra/bundle/bundle.ts';
import { createTable, type TableEnvironment } from '../../../../infra/cli/table.ts';
import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import { transact } from '../../../../shared/store/table/transact.ts';
import type { RecordedCall } from '../../../support/faults/calls.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { generatedLead } from '../../../support/generated/leads.ts';
import { givenOrganizationWithoutKeys } from '../../../support/organizations.ts';
import { goodRequests } from '../../../support/requests.ts';
import { tableOf } from '../../../support/table.ts';
import { eventOf } from '../lambda-process.ts';
import { withEngine, withFolder } from '../measuring.ts';

/** A function, built, and a request that it takes. */
export interface FunctionCase {
  readonly name: EndpointName;
  readonly code: Uint8Array;
  readonly event: APIGatewayProxyEvent;
  readonly status: number;
}

export interface Setting {
  readonly cases: readonly FunctionCase[];
  /** For the functions: they reach the engine through a proxy that repeats the engine's first answer to each kind of call. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a bundle into a file. @returns its path */
  readonly write: (name: string, code: Uint8Array) => Promise<string>;
  /** Records the calls that a function makes meanwhile, slowed down so that parallel calls overlap. */
  readonly callsOf: (run: () => Promise<unknown>) => Promise<readonly RecordedCall[]>;
}

const recordingLatencyMs = 15;

/** Runs a measurement on every function. */
export const withFunctions = <T>(measure: (setting: Setting) => Promise<T>): Promise<T> =>
  withFolder((folder) =>
    withEngine(async (engine) => {
      const cases = await givenCases(engine.environment);
      const proxy = await startDynamodbProxy(engine.endpoint);
      proxy.isCanned = true;
      try {
        return await measure({
          cases,
          environment: { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
          async write(name, code) {
            const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
            await writeFile(file, code);
            return file;
          },
          async callsOf(run) {
            proxy.latencyMs = recordingLatencyMs;
            const { calls } = await proxy.record(run);
            proxy.latencyMs = 0;
            return calls;
          },
        });
      } finally {
        await proxy.stop();
      }
    }),
  );

/** Every function with a request, in a table that holds what the request needs: an organization, a key, a lead. */
async function givenCases(environment: TableEnvironment): Promise<FunctionCase[]> {
  await createTable(environment);
  const table = tableOf(environment);
  const organization = await givenOrganizationWithoutKeys({}, table, 1);
  await transact(table, [putLead(generatedLead(1, 1, 1000))]);
  const { key: apiKey } = await organization.key();
  table.client.destroy();
  const bundles = await bundleFunctions();
  return goodRequests.map(({ name, status, request }) => ({
    name,
    status,
    code: bundles.get(name)!.code,
    event: eventOf(name, {
      apiKey,
      ...request(1),
      ...(name === 'capture-lead' && { headers: { 'Idempotency-Key': randomUUID() } }),
    }),
  }));
}
