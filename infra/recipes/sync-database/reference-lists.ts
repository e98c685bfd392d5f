import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import {
  batchSize,
  readState,
  type SqlDatabase,
  transaction,
  upsert,
  writeState,
} from './sql-database.ts';

/** The settings of an organization, as `organization show --json` prints them: inactive users, stages, sources and fields too. */
interface Settings {
  readonly id: number;
  readonly users: readonly Entry[];
  readonly sources: readonly Entry[];
  readonly pipelines: readonly (Entry & { readonly stages: readonly Stage[] })[];
  readonly fields: readonly Field[];
}
interface Entry {
  readonly id: number;
  readonly name: string;
  readonly active?: boolean;
}
interface Stage extends Entry {
  readonly meaning: string;
}
interface Field {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly options?: readonly unknown[];
  readonly active?: boolean;
}

/** Replaces the reference lists by those of the file, in one transaction. */
export async function syncReferenceLists(
  client: LeadClient,
  database: SqlDatabase,
  path: string,
): Promise<void> {
  const { id, users, sources, pipelines, fields } = await readSettings(path);
  const stages = pipelines.flatMap((pipeline) =>
    pipeline.stages.map((stage) => ({ ...stage, pipelineId: pipeline.id })),
  );
  const known = (await readState(database, 'organization')) ?? String(id);
  if (known !== String(id))
    throw new Error(`${path} is of organization ${id}, the database of organization ${known}.`);
  const namesOf = (list: readonly Entry[]) => list.map((stage) => `${stage.id} ${stage.name}`);
  const ofFile = namesOf(stages.filter((stage) => stage.active !== false)).sort();
  const listed = await client.listLeadStages();
  if (!isDeepStrictEqual(ofFile, namesOf(listed).sort()))
    throw new Error(
      `${path} is not of the key's organization, or its stages have changed: write it again with organization show.`,
    );
  const active = (entry: { readonly active?: boolean }) => (entry.active === false ? 0 : 1);
  const named = <T extends Entry>(entry: T) => ({ id: entry.id, name: entry.name });
  const lists = {
    users: users.map((user) => ({ ...named(user), active: active(user) })),
    sources: sources.map((source) => ({ ...named(source), active: active(source) })),
    pipelines: pipelines.map(named),
    stages: stages.map((stage) => ({
      ...named(stage),
      pipeline_id: stage.pipelineId,
      meaning: stage.meaning,
      active: active(stage),
    })),
    fields: fields.map(({ key, label, type, options = [], ...field }) => ({
      id: key,
      label,
      type,
      options: JSON.stringify(options),
      active: active(field),
    })),
  };
  await transaction(database, async () => {
    for (const [table, rows] of Object.entries(lists)) {
      await database.query(`DELETE FROM ${table}`);
      for (let from = 0; from < rows.length; from += batchSize)
        await upsert(database, table, rows.slice(from, from + batchSize));
    }
    await updateView(database, fields);
    await writeState(database, 'organization', String(id));
  });
}

const builtIn = ['name', 'phone', 'email', 'source', 'assigned_to', 'lead_type'];

/** The view `leads_by_field`, which has a column `field_KEY` for each active field. It is made anew only when the fields have changed. */
async function updateView(database: SqlDatabase, fields: readonly Field[]): Promise<void> {
  const columns = fields
    .filter(({ key, active }) => active !== false && !builtIn.includes(key))
    .map(({ key, type }) => {
      const sqlType = database.sqlTypes[type];
      const value = `fields ->> '${key}'`;
      return `, ${sqlType ? `CAST(${value} AS ${sqlType})` : value} AS "field_${key}"`;
    });
  const view = `CREATE VIEW leads_by_field AS SELECT leads.*${columns.join('')} FROM leads`;
  if ((await readState(database, 'view')) === view) return;
  await database.query('DROP VIEW IF EXISTS leads_by_field');
  await database.query(view);
  await writeState(database, 'view', view);
}

async function readSettings(path: string): Promise<Settings> {
  const text = await readFile(path, 'utf8');
  try {
    const settings = JSON.parse(text) as Settings;
    const lists = [settings.users, settings.sources, settings.pipelines, settings.fields];
    if (Number.isInteger(settings.id) && lists.every(Array.isArray)) return settings;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${path} is not what organization show --json prints.`);
}
