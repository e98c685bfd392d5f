import { readFile } from 'node:fs/promises';
import type { SqlDatabase } from '../../../infra/recipes/sync-database/sql-database.ts';
import type { Lead, LeadClient } from '../../../shared/client/client.ts';
import { leadsOf } from '../../support/leads.ts';
import type { GivenOrganization } from '../../support/organizations.ts';

/** What the service has: listed leads with the names of what they refer to, archived ones, and every timeline item. */
export async function serviceRows(
  organization: GivenOrganization,
  client: LeadClient,
  timelines: string,
) {
  const lines = (await readFile(timelines, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const listed: Lead[] = [];
  for await (const lead of client.leads()) listed.push(lead);
  return {
    active: listed
      .map(({ stage, pipeline, source, owner, ...lead }) => ({
        ...lead,
        names: [stage?.name, pipeline?.name, source?.name, owner?.name].map((name) => name ?? null),
      }))
      .sort((a, b) => a.id - b.id),
    archived: (await leadsOf(organization))
      .filter(({ archivedAt }) => archivedAt !== undefined)
      .map(({ id, archivedAt }) => ({ id, archived_at: archivedAt })),
    erased: lines
      .filter(({ type }) => type === 'erased')
      .map(({ leadId, at }) => ({ id: leadId, erased_at: at }))
      .sort((a, b) => a.id - b.id),
    items: lines.filter(({ type }) => type !== 'erased').sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

export async function databaseRows(database: SqlDatabase) {
  const active = await database.query(
    `SELECT leads.*, stages.name AS stage, pipelines.name AS pipeline, sources.name AS source, users.name AS owner
     FROM leads LEFT JOIN stages ON stages.id = stage_id LEFT JOIN pipelines ON pipelines.id = leads.pipeline_id
     LEFT JOIN sources ON sources.id = source_id LEFT JOIN users ON users.id = assigned_to
     WHERE archived_at IS NULL AND erased_at IS NULL ORDER BY leads.id`,
  );
  const items = await database.query(
    `SELECT timeline_items.*, users.name AS actor FROM timeline_items LEFT JOIN users ON users.id = actor_user_id`,
  );
  const marked = (kind: string) =>
    database.query(`SELECT id, ${kind}_at FROM leads WHERE ${kind}_at IS NOT NULL ORDER BY id`);
  return {
    active: active.map((row) => ({
      id: row.id,
      name: row.name,
      phone: row.phone,
      email: row.email,
      leadType: row.lead_type,
      stageId: row.stage_id,
      pipelineId: row.pipeline_id,
      sourceId: row.source_id,
      assignedTo: row.assigned_to,
      fields: JSON.parse(String(row.fields)),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      names: [row.stage, row.pipeline, row.source, row.owner],
    })),
    archived: (await marked('archived')).map((row) => ({ ...row })),
    erased: (await marked('erased')).map((row) => ({ ...row })),
    items: items
      .map((row) => ({
        leadId: row.lead_id,
        id: String(row.id),
        type: row.type,
        at: row.at,
        actor: { userId: row.actor_user_id, name: row.actor ?? 'administrator' },
        ...JSON.parse(String(row.item)),
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** Loses, changes and adds rows behind the job's back. */
export async function damage(
  database: SqlDatabase,
  [lost, changed, lostItem, changedItem]: readonly (number | string)[],
) {
  await database.query('DELETE FROM leads WHERE id = ?', [lost as number]);
  await database.query("UPDATE leads SET name = 'Nobody' WHERE id = ?", [changed as number]);
  await database.query(
    "INSERT INTO leads (id, name, updated_at) VALUES (2000000000, 'Too much', '2026-01-01T00:00:00.000Z')",
  );
  await database.query('DELETE FROM timeline_items WHERE id = ?', [lostItem as string]);
  await database.query("UPDATE timeline_items SET item = '{}' WHERE id = ?", [
    changedItem as string,
  ]);
  await database.query(
    `INSERT INTO timeline_items SELECT 'too much', lead_id, type, at, stored_at, actor_user_id, item, read_by
     FROM timeline_items WHERE id = ?`,
    [changedItem as string],
  );
}
