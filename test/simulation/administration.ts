import type { ImportRequest } from '../../infra/admin/import/run.ts';
import type { Scope } from '../../shared/endpoints.ts';
import type { FinishedRestore } from '../../shared/store/maintenance/restore/finish-restore.ts';
import type { HeldKey } from './checker/history.ts';
import type { ServicePrograms } from './lambda/given-service.ts';
import type { Runtime } from './lambda/runtime.ts';
import { type SettingsVariant, settingsFile } from './organizations.ts';

/** What the bundle of an administrator's process exports (`administrationSource` in lambda/given-service.ts). */
export interface Administration {
  readonly applySettings: (
    table: unknown,
    settings: unknown,
    options?: object,
  ) => Promise<{ outcome: string; version: number }>;
  readonly createApiKey: (table: unknown, order: object) => Promise<CreatedKey>;
  readonly revokeApiKey: (
    table: unknown,
    organizationId: number,
    keyId: string,
    revocation: { at: Date },
  ) => Promise<string | undefined>;
  readonly readAuditLog: (
    table: unknown,
    organizationId: number,
    limit: number,
  ) => Promise<readonly object[]>;
  readonly readKeptSettings: (
    table: unknown,
    organizationId: number,
    version: number,
  ) => Promise<object | undefined>;
  readonly versionsBefore: (entries: readonly object[], version: number) => readonly number[];
  readonly readSettings: (
    table: unknown,
    organizationId: number,
  ) => Promise<{ settings: object; version: number } | undefined>;
  readonly loadOrganization: (table: unknown, organizationId: number) => Promise<object>;
  readonly setArchived: (
    table: unknown,
    organizationId: number,
    leadId: number,
    change: { archived: boolean },
  ) => Promise<unknown>;
  readonly eraseLeads: (
    own: object,
    leadIds: readonly number[],
    options: object,
  ) => Promise<ReadonlyMap<number, object>>;
  readonly planErasures: Administration['eraseLeads'];
  readonly scanLeadsAscending: (
    table: unknown,
    organizationId: number,
    options: object,
  ) => AsyncIterable<readonly object[]>;
  readonly scanTimelines: (table: unknown, id: number) => AsyncIterable<readonly object[]>;
  readonly ownedLeads: (
    table: unknown,
    owned: object,
    onProgress: () => void,
  ) => Promise<{ leadIds: readonly number[] }>;
  readonly reassignLead: (
    table: unknown,
    owned: object,
    leadId: number,
    newOwner: { newOwnerId: number; by: string },
  ) => Promise<boolean>;
  readonly finishRestore: (table: object, options: object) => Promise<FinishedRestore>;
  readonly importRows: (table: unknown, order: object) => Promise<object>;
  readonly openTable: (name?: string) => object;
  readonly checkTable: (table: unknown) => Promise<{ violations: readonly string[] }>;
  readonly parseSettingsFile: (text: string) => { settings: object };
}

export interface CreatedKey {
  readonly key: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string;
}

export const heldKey = (
  organizationId: number,
  { key, keyId, scopes, expiresAt }: CreatedKey,
): HeldKey => ({
  key,
  keyId,
  organizationId,
  scopes,
  expiresAt: Date.parse(expiresAt),
});

/** A row of a file of leads: fields by key, and what else it tells of the lead. */
export interface LeadRow extends Readonly<Record<string, string | number | undefined>> {
  readonly note?: string;
  /** The lead's, which a file of exported leads may keep. */
  readonly id?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

export interface ImportPace {
  /** Whether leads get the ids of their rows. @default false */
  readonly keepIds?: boolean;
  /** @default 100 */
  readonly leadsPerSecond?: number;
}

/** Where commands run, and the time there. */
type CommandRuntime = Pick<Runtime, 'now' | 'run'>;

/** An administrator's commands, without what they print and ask. */
export class AdministratorCommands {
  readonly #runtime: CommandRuntime;
  readonly #administration: Administration;
  readonly #tableName: string | undefined;
  #table: object | undefined;

  /** @param tableName `leads` unless told otherwise */
  constructor(administration: Administration, runtime: CommandRuntime, tableName?: string) {
    this.#administration = administration;
    this.#runtime = runtime;
    this.#tableName = tableName;
  }

  #run<T>(command: (administration: Administration, table: object) => Promise<T>): Promise<T> {
    return this.#runtime.run(() => {
      this.#table ??= this.#administration.openTable(this.#tableName);
      return command(this.#administration, this.#table);
    });
  }

  applySettings(organizationId: number, variant: SettingsVariant): Promise<unknown> {
    return this.#run(({ applySettings, parseSettingsFile }, table) =>
      applySettings(
        table,
        parseSettingsFile(JSON.stringify(settingsFile(organizationId, variant))).settings,
      ),
    );
  }

  /** Back to the settings before the last apply; undefined when there are none. */
  undo(organizationId: number): Promise<unknown> {
    return this.#run(
      async (
        { applySettings, readAuditLog, readKeptSettings, readSettings, versionsBefore },
        table,
      ) => {
        const stored = await readSettings(table, organizationId);
        if (!stored) return undefined;
        const [version] = versionsBefore(
          await readAuditLog(table, organizationId, 100),
          stored.version,
        );
        const kept =
          version === undefined
            ? undefined
            : await readKeptSettings(table, organizationId, version);
        return kept && applySettings(table, kept, { expectedVersion: stored.version });
      },
    );
  }

  createKey(organizationId: number, order: object): Promise<CreatedKey> {
    return this.#run(({ createApiKey }, table) =>
      createApiKey(table, {
        organizationId,
        label: 'simulated',
        now: new Date(this.#runtime.now),
        ...order,
      }),
    );
  }

  revokeKey(organizationId: number, keyId: string): Promise<string | undefined> {
    return this.#run(({ revokeApiKey }, table) =>
      revokeApiKey(table, organizationId, keyId, { at: new Date(this.#runtime.now) }),
    );
  }

  setArchived(organizationId: number, leadId: number, archived: boolean): Promise<unknown> {
    return this.#run(({ setArchived }, table) =>
      setArchived(table, organizationId, leadId, { archived }),
    );
  }

  erase(organizationId: number, leadId: number): Promise<object | undefined> {
    return this.#run(async ({ eraseLeads }, table) =>
      (await eraseLeads({ table, organizationId }, [leadId], { who: 'simulated' })).get(leadId),
    );
  }

  /** What an erasure would remove. */
  planErasure(organizationId: number, leadId: number): Promise<object | undefined> {
    return this.#run(async ({ planErasures }, table) =>
      (await planErasures({ table, organizationId }, [leadId], {})).get(leadId),
    );
  }

  importRows(
    organizationId: number,
    rows: readonly LeadRow[],
    { keepIds = false, leadsPerSecond = 100 }: ImportPace = {},
  ): Promise<object> {
    return this.#run(({ importRows, loadOrganization }, table) =>
      importRows(table, {
        headingOf: new Map(),
        formats: {},
        rows: fileRows(rows),
        organizationId,
        organization: () => loadOrganization(table, organizationId),
        keepIds,
        dryRun: false,
        leadsPerSecond,
        updatedBy: undefined,
        erasing: new Set(),
        onResults: () => undefined,
      } satisfies Record<keyof ImportRequest, unknown>),
    );
  }

  /** All leads of an organization as an export walks them. */
  export(organizationId: number): Promise<readonly object[]> {
    return this.#run(async ({ scanLeadsAscending }, table) => {
      const leads: object[] = [];
      const pages = scanLeadsAscending(table, organizationId, { withArchived: true });
      for await (const page of pages) leads.push(...page);
      return leads;
    });
  }

  /** The timelines of all leads of an organization. */
  timelines(organizationId: number): Promise<readonly object[]> {
    return this.#run(async ({ scanTimelines }, table) => {
      const timelines: object[] = [];
      for await (const page of scanTimelines(table, organizationId)) timelines.push(...page);
      return timelines;
    });
  }

  /** Gives the leads of a user to another one. @returns the IDs of those that changed their owner */
  reassign(organizationId: number, ownerId: number, newOwnerId: number): Promise<number[]> {
    return this.#run(async ({ ownedLeads, reassignLead }, table) => {
      const owned = { organizationId, ownerId };
      const reassigned: number[] = [];
      const { leadIds } = await ownedLeads(table, owned, () => undefined);
      for (const leadId of leadIds)
        if (await reassignLead(table, owned, leadId, { newOwnerId, by: 'simulated' }))
          reassigned.push(leadId);
      return reassigned;
    });
  }

  /** @param oldName of the table that was in use; undefined if it is lost */
  finishRestore(
    oldName: string | undefined,
    keptKeyIds: readonly string[],
  ): Promise<FinishedRestore> {
    return this.#run(({ finishRestore }, table) =>
      finishRestore(table, {
        old: oldName === undefined ? undefined : { ...table, name: oldName },
        keptKeyIds: new Set(keptKeyIds),
        action: { who: 'simulated', what: 'restore finish' },
      } satisfies Record<'old' | 'keptKeyIds' | 'action', unknown>),
    );
  }

  check(): Promise<{ violations: readonly string[] }> {
    return this.#run(({ checkTable }, table) => checkTable(table));
  }
}

/** An administrator's process in a simulation. */
export class AdministratorProcess extends AdministratorCommands {
  readonly runtime: Runtime;

  /** @param tableName `leads` unless told otherwise */
  constructor(runtime: Runtime, { administration }: ServicePrograms, tableName?: string) {
    super(runtime.load<Administration>(administration), runtime, tableName);
    this.runtime = runtime;
  }
}

async function* fileRows(rows: readonly LeadRow[]) {
  for (const [at, original] of rows.entries()) {
    const { note, id, createdAt, updatedAt, ...fields } = original;
    const properties = {
      ...(id !== undefined && { leadId: id }),
      ...(createdAt !== undefined && { createdAt }),
      ...(updatedAt !== undefined && { updatedAt }),
    };
    yield {
      number: at + 1,
      read: { fields, properties, ...(note !== undefined && { note }) },
      original,
    };
  }
}
