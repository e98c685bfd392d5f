import type { APIGatewayProxyResult } from 'aws-lambda';
import type { EndpointName } from '../../../shared/endpoints.ts';
import { sampleSettings } from '../../support/settings.ts';
import { Simulation, type SimulationOptions } from '../simulation.ts';
import { type CallerRequest, gatewayEvent } from './gateway-event.ts';
import type { InvocationResult } from './instance.ts';
import { type Program, type ProgramOptions, readFunctions, readProgram } from './modules.ts';
import { Runtime } from './runtime.ts';
import { SimulatedFunctions, type SimulatedFunctionsOptions } from './simulated-functions.ts';

/** What an administrator's process can do, bundled as the functions are. */
const administrationSource = `
  export { applySettings } from './shared/store/organizations/apply-settings.ts';
  export { createApiKey, revokeApiKey } from './shared/store/organizations/api-keys.ts';
  export { readAuditLog, readKeptSettings, versionsBefore } from './shared/store/organizations/audit-log.ts';
  export { loadOrganization, readSettings } from './shared/store/organizations/organizations.ts';
  export { setArchived } from './shared/store/leads/archive.ts';
  export { eraseLeads, planErasures } from './shared/store/maintenance/erase-lead.ts';
  export { scanLeadsAscending, scanTimelines } from './shared/store/maintenance/read-leads.ts';
  export { ownedLeads, reassignLead } from './shared/store/maintenance/reassign-leads.ts';
  export { finishRestore } from './shared/store/maintenance/restore/finish-restore.ts';
  export { importRows } from './infra/admin/import/run.ts';
  export { openTable } from './shared/store/table/client.ts';
  export { checkTable } from './shared/store/check/check-table.ts';
  export { parseSettingsFile } from './shared/organization/settings.ts';`;

/** The code of a service, bundled once and evaluated in as many processes as a simulation has. */
export interface ServicePrograms {
  readonly functions: Program;
  readonly administration: Program;
}

export async function readService(options: ProgramOptions = {}): Promise<ServicePrograms> {
  const [functions, administration] = await Promise.all([
    readFunctions(options),
    readProgram(administrationSource, options),
  ]);
  return { functions, administration };
}

interface Administration {
  readonly applySettings: (table: unknown, settings: unknown) => Promise<unknown>;
  readonly createApiKey: (table: unknown, order: object) => Promise<{ key: string; keyId: string }>;
  readonly openTable: () => unknown;
  readonly parseSettingsFile: (text: string) => { settings: unknown };
}

export interface SimulatedServiceOptions {
  readonly bundles: ServicePrograms;
  readonly simulation: SimulationOptions;
  readonly functions?: Omit<SimulatedFunctionsOptions, 'network' | 'versions'>;
}

/** A simulation with the functions in it and an organization of which there is a key. */
export class SimulatedService {
  readonly simulation: Simulation;
  readonly functions: SimulatedFunctions;
  apiKey = '';
  readonly #administrator: Runtime;
  readonly #administration: Administration;
  #requests = 0;

  private constructor({ bundles, simulation, functions }: SimulatedServiceOptions) {
    this.simulation = new Simulation(simulation);
    const { network } = this.simulation;
    this.functions = new SimulatedFunctions({
      ...functions,
      network,
      versions: [bundles.functions],
    });
    this.#administrator = new Runtime({ name: 'administrator', network });
    this.#administration = this.#administrator.load<Administration>(bundles.administration);
  }

  /** Makes the organization before any fault happens. */
  static async start(options: SimulatedServiceOptions): Promise<SimulatedService> {
    const service = new SimulatedService(options);
    const { applySettings, createApiKey, openTable, parseSettingsFile } = service.#administration;
    const { scheduler } = service.simulation;
    const prepare = async (): Promise<void> => {
      const table = openTable();
      await applySettings(
        table,
        parseSettingsFile(JSON.stringify({ ...sampleSettings, id: 1 })).settings,
      );
      const order = {
        organizationId: 1,
        type: 'application',
        scopes: ['leads.read', 'leads.write'],
        label: 'simulated',
        createdBy: 7,
      };
      service.apiKey = (await createApiKey(table, { ...order, now: new Date(scheduler.now) })).key;
    };
    await scheduler.run(() => service.#administrator.run(prepare));
    return service;
  }

  /** One request through the gateway's event to an instance, as far as the function's own result. */
  invoke(
    endpoint: EndpointName,
    request: Omit<CallerRequest, 'endpoint' | 'apiKey'> = {},
  ): Promise<InvocationResult> {
    const requestId = `request-${this.#requests}`;
    this.#requests += 1;
    const event = gatewayEvent(
      { endpoint, apiKey: this.apiKey, ...request },
      requestId,
      this.simulation.scheduler.now,
    );
    return this.functions.invoke(endpoint, event, requestId);
  }

  /** As `invoke`, run to its end. @throws Error unless the function answered */
  async answer(
    endpoint: EndpointName,
    request: Omit<CallerRequest, 'endpoint' | 'apiKey'> = {},
  ): Promise<APIGatewayProxyResult> {
    const result = await this.simulation.scheduler.run(() => this.invoke(endpoint, request));
    if (result.outcome !== 'answered')
      throw new Error(`${endpoint} ${result.outcome}.`, { cause: result });
    return result.answer;
  }
}
