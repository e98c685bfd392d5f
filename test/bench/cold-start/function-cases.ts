import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bundleFunctions } from '../../../infra/bundle/bundle.ts';
import type { TableEnvironment } from '../../../infra/local/table.ts';
import { clientConfig, createTable } from '../../../infra/local/table.ts';
import type { EndpointName } from '../../../shared/endpoints.ts';
import { putLead } from '../../../shared/store/leads/leads.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { transact } from '../../../shared/store/table/transact.ts';
import { goodRequests } from '../../support/requests.ts';
import { sampleSettings } from '../../support/settings.ts';
import { eventOf } from '../lambda-process.ts';
import { generatedLead } from '../listing/generated-leads.ts';
import { givenApiKey, settingsOf } from '../measuring.ts';

/** A function, built, and a request that it takes. */
export interface FunctionCase {
  readonly name: EndpointName;
  readonly code: Uint8Array;
  readonly event: APIGatewayProxyEvent;
  readonly status: number;
}

const person = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };

/** Every function with a request, in a table that holds what the request needs: an organization, a key, a lead. */
export async function givenFunctionCases(environment: TableEnvironment): Promise<FunctionCase[]> {
  await createTable(environment);
  const table = openTable(environment.LEADS_TABLE, clientConfig(environment));
  await applySettings(table, settingsOf(sampleSettings, 1));
  await transact(table, [putLead(generatedLead(1, 1, 1000))]);
  const { key: apiKey } = await givenApiKey(table, 1);
  table.client.destroy();
  const bundles = await bundleFunctions();
  return goodRequests.map(({ name, status, request }) => ({
    name,
    status,
    code: bundles.get(name)!.code,
    event: eventOf(name, {
      apiKey,
      ...request(1, person),
      ...(name === 'capture-lead' && { headers: { 'Idempotency-Key': randomUUID() } }),
    }),
  }));
}
