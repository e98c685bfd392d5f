import { parseDateTime } from '../../base/dates.ts';
import { asciiFigures, comparableName, visibleText } from '../../base/text.ts';
import { changesBetween } from '../changes.ts';
import { type FieldIssue, parseYesOrNo, type RawValue } from '../field-values.ts';
import type { FieldIssues } from '../fields.ts';
import type { Lead } from '../lead.ts';
import type { ImportProperty } from './import-columns.ts';

type TimeProperties = Readonly<Partial<Record<ImportProperty, RawValue>>>;

export const isEmpty = (raw: RawValue | FieldIssue | undefined): raw is null | undefined | '' =>
  raw === undefined || raw === null || (typeof raw === 'string' && visibleText(raw) === '');
export const textOf = (raw: RawValue | FieldIssue | undefined): string =>
  isEmpty(raw) ? '' : String(raw).trim();

/** @param now the default for the times of creation and update */
export function readTimes(
  { createdAt: created, updatedAt: updated, archived }: TimeProperties,
  now: string,
  issues: FieldIssues,
): Pick<Lead, 'createdAt' | 'updatedAt' | 'archivedAt'> {
  const timeOf = (name: string, raw: RawValue | undefined): string | undefined =>
    isEmpty(raw) ? undefined : readTime(name, raw, now, issues);
  const createdThen = timeOf('created at', created);
  // Defaults to now, so that a sync job that uses updated_since sees the lead.
  const updatedAt = timeOf('updated at', updated) ?? now;
  const createdAt = createdThen ?? updatedAt;
  if (updatedAt < createdAt) {
    const sentence = `is earlier than the time of creation, ${createdAt}.`;
    issues.add('updated at', 'invalid_date', sentence);
  }
  const isArchived = saysArchived(archived);
  const archivedThen = isArchived ? updatedAt : undefined;
  const archivedAt = isArchived === undefined ? timeOf('archived', archived) : archivedThen;
  return { createdAt, updatedAt, ...(archivedAt !== undefined && { archivedAt }) };
}

/** Undefined if the text means neither yes nor no, such as a time. */
function saysArchived(raw: RawValue | undefined): boolean | undefined {
  const text = comparableName(textOf(raw));
  return text === 'archived' || (text !== '' && parseYesOrNo(text));
}

function readTime(
  name: string,
  raw: RawValue,
  now: string,
  issues: FieldIssues,
): string | undefined {
  const text = typeof raw === 'string' ? asciiFigures(raw) : '';
  const at = parseDateTime(text) ?? parseDateTime(`${text}T00:00Z`);
  if (at === undefined) {
    const sentence =
      'must be a date, or a date-time with an offset, such as 2026-01-31T18:30:00+05:30.';
    return issues.add(name, 'invalid_date', sentence);
  }
  if (at > Date.parse(now)) issues.add(name, 'invalid_date', `is in the future: ${text}.`);
  return new Date(at).toISOString();
}

/**
 * Refuses times, and an archived state, that differ from the lead's: an update cannot change them. Ignores the times of an exported row,
 * because they date from its export, and a spreadsheet may have rewritten them.
 */
export function refuseOtherTimes(
  properties: TimeProperties,
  before: Lead,
  after: Lead,
  issues: FieldIssues,
): void {
  const { mark, createdAt, updatedAt, archived } = properties;
  const isExported = !isEmpty(mark);
  const times = readTimes(isExported ? {} : properties, after.updatedAt, issues);
  const mustBe = (
    name: string,
    raw: RawValue | undefined,
    isSo: boolean,
    instead: string,
  ): void => {
    if (textOf(raw) !== '' && !isSo)
      issues.add(name, 'not_accepted', `cannot be changed by an update: ${instead}.`);
  };
  const said = isExported || saysArchived(archived);
  const isSaid =
    said === undefined
      ? times.archivedAt === before.archivedAt
      : said === (before.archivedAt !== undefined);
  mustBe('archived', archived, isSaid, 'use lead archive or lead restore, and empty the cell');
  if (isExported) return;
  const isUnchanged = changesBetween(before, after).length === 0;
  const instead = 'empty the cell, or add --ignore for the column';
  mustBe('created at', createdAt, times.createdAt === before.createdAt, instead);
  mustBe('updated at', updatedAt, times.updatedAt === before.updatedAt && isUnchanged, instead);
}
