import { readFile } from 'node:fs/promises';
import { type SqlDatabase, transaction, upsert } from './sql-database.ts';

/** The settings of an organization, as `organization show --json` prints them: inactive users, stages, sources and fields too. */
interface Settings {
  readonly users: readonly { id: number; name: string; active?: boolean }[];
  readonly sources: readonly { id: number; name: string; active?: boolean }[];
  readonly pipelines: readonly { id: number; name: string; stages: readonly Stage[] }[];
  readonly fields: readonly Field[];
}
interface Stage {
  readonly id: number;
  readonly name: string;
  readonly meaning: string;
  readonly active?: boolean;
}
interface Field {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly options?: readonly unknown[];
  readonly active?: boolean;
}

/** Replaces the reference lists by those of the file, in one transaction. */
export async function syncReferenceLists(database: SqlDatabase, path: string): Promise<void> {
  const { users, sources, pipelines, fields } = await readSettings(path);
  const active = (entry: { readonly active?: boolean }) => (entry.active === false ? 0 : 1);
  await transaction(database, async () => {
    for (const table of ['users', 'sources', 'pipelines', 'stages', 'fields'])
      await database.query(`DELETE FROM ${table}`);
    for (const user of users)
      await upsert(database, 'users', { id: user.id, name: user.name, active: active(user) });
    for (const source of sources)
      await upsert(database, 'sources', {
        id: source.id,
        name: source.name,
        active: active(source),
      });
    for (const { id, name, stages } of pipelines) {
      await upsert(database, 'pipelines', { id, name });
      for (const stage of stages)
        await upsert(database, 'stages', {
          id: stage.id,
          pipeline_id: id,
          name: stage.name,
          meaning: stage.meaning,
          active: active(stage),
        });
    }
    for (const { key, label, type, options = [], ...field } of fields)
      await upsert(database, 'fields', {
        id: key,
        label,
        type,
        options: JSON.stringify(options),
        active: active(field),
      });
  });
}

async function readSettings(path: string): Promise<Settings> {
  const text = await readFile(path, 'utf8');
  try {
    const settings = JSON.parse(text) as Settings;
    const lists = [settings.users, settings.sources, settings.pipelines, settings.fields];
    if (lists.every(Array.isArray)) return settings;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${path} is not what organization show --json prints.`);
}
