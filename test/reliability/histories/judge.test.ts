import { describe, expect, test } from 'vitest';
import type { Lead } from '../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';
import { judge, type StoredLead } from './judge.ts';
import { type Claim, Notebook } from './notebook.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const byKey = { actorId: 7, via: 'api', keyId: 'writer' } as const;
const person = { name: 'Asha', phone: '+919876543210', email: 'asha@example.com' };

const note = (text: string): TimelineEntry => ({ type: 'note_added', at: at(9), ...byKey, text });
const moved = (second: number, from: string | null, to: string): TimelineEntry => ({
  type: 'lead_updated',
  at: at(second),
  ...byKey,
  changes: [{ field: 'city', from, to }],
});

/** A lead that was created, updated twice, noted, archived and restored. */
function given(): { notebook: Notebook; lead: Lead; timeline: TimelineEntry[] } {
  const notebook = new Notebook();
  const claimed = (kind: Claim['kind'], marker: string, submitted = {}): void => {
    Object.assign(notebook.claim(kind, marker, submitted), { verdict: 'done', leadId: 5 });
  };
  claimed('create', 'c', person);
  claimed('update', 'u1');
  claimed('update', 'u2');
  claimed('note', 'n');
  Object.assign(notebook.archivingOf(5), { archive: 1, restore: 1, done: 2 });
  const timeline: TimelineEntry[] = [
    { type: 'lead_created', at: at(1), ...byKey },
    moved(2, null, 'u1'),
    moved(3, 'u1', 'u2'),
    { type: 'archived', at: at(4), actorId: null },
    { type: 'restored', at: at(5), actorId: null },
    note('n'),
  ];
  const fields = { ...person, city: 'u2', remarks: 'c', lead_type: 'student', assigned_to: 7 };
  const place = { stageId: 11, pipelineId: 1, createdAt: at(1), updatedAt: at(5) };
  return { notebook, lead: { id: 5, organizationId: 1, version: 5, fields, ...place }, timeline };
}

const judged = ({ notebook, lead, timeline }: ReturnType<typeof given>): string[] => {
  const stored: StoredLead = { lead, timeline };
  return judge(notebook, [stored]);
};

test('the judge finds nothing where everything is as the clients were told', () => {
  expect(judged(given())).toEqual([]);
});

type Given = ReturnType<typeof given>;
const claimNamed = ({ notebook }: Given, marker: string): Claim =>
  notebook.claims.find((one) => one.marker === marker) as Claim;

describe('finds', () => {
  test.each<{ what: string; spoil: (all: Given) => Given; finds: RegExp }>([
    {
      what: 'an acknowledged note that is lost',
      spoil: (all) => ({ ...all, timeline: all.timeline.slice(0, -1) }),
      finds: /^note n, done: its effect is nowhere/,
    },
    {
      what: 'a note that is there twice',
      spoil: (all) => ({ ...all, timeline: [...all.timeline, note('n')] }),
      finds: /^note n, done: its effect is there 2 times/,
    },
    {
      what: 'a note of unknown outcome that is there twice',
      spoil: (all) => {
        claimNamed(all, 'n').verdict = 'unknown';
        return { ...all, timeline: [...all.timeline, note('n')] };
      },
      finds: /^note n, unknown: its effect is there 2 times/,
    },
    {
      what: 'a refused update that took effect',
      spoil: (all) => {
        claimNamed(all, 'u1').verdict = 'refused';
        return all;
      },
      finds: /^update u1, refused: its effect is on lead 5 all the same/,
    },
    {
      what: 'an effect nobody asked for',
      spoil: (all) => ({ ...all, timeline: [...all.timeline, note('other')] }),
      finds: /^other: nobody asked/,
    },
    {
      what: 'an effect on another lead than the answer named',
      spoil: (all) => {
        claimNamed(all, 'n').leadId = 6;
        return all;
      },
      finds: /the answer named lead 6, the effect is on lead 5/,
    },
    {
      what: 'an update that was lost to a simultaneous one',
      spoil: (all) => ({ ...all, timeline: all.timeline.with(2, moved(3, null, 'u2')) }),
      finds: /^Lead 5, city: its changes do not lead to "u2"/,
    },
    {
      what: 'an update that is on the timeline and not on the lead',
      spoil: (all) => ({
        ...all,
        lead: { ...all.lead, fields: { ...all.lead.fields, city: 'u1' } },
      }),
      finds: /^Lead 5, city/,
    },
    {
      what: 'a lead in a stage to which nothing led',
      spoil: (all) => ({ ...all, lead: { ...all.lead, stageId: 12 } }),
      finds: /^Lead 5, stage/,
    },
    {
      what: 'a lead that was written without an entry on its timeline',
      spoil: (all) => ({ ...all, lead: { ...all.lead, version: 6 } }),
      finds: /^Lead 5: version 6, though its timeline tells of 5 writes/,
    },
    {
      what: 'a lead that is archived although it was restored',
      spoil: (all) => ({ ...all, lead: { ...all.lead, archivedAt: at(4) } }),
      finds: /^Lead 5: archived 1 times, restored 1 times/,
    },
    {
      what: 'a lead that begins twice',
      spoil: (all) => ({ ...all, timeline: [all.timeline[0] as TimelineEntry, ...all.timeline] }),
      finds: /^Lead 5: it begins 2 times/,
    },
  ])('the judge finds $what', ({ spoil, finds }) => {
    expect(judged(spoil(given()))).toContainEqual(expect.stringMatching(finds));
  });
});
