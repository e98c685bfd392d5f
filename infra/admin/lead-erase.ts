import type { Command } from 'commander';
import { type Erased, eraseLead } from '../../shared/store/erase-lead.ts';
import { readLead } from '../../shared/store/leads.ts';
import { confirmed } from './confirm.ts';
import { CommandRefused, counted, type Desk, existingOrganization, parseId, printable } from './desk.ts';

interface EraseOptions {
  organization: number;
  lead: number;
  yes?: boolean;
}

/** DynamoDB keeps point-in-time recovery for so long (AWS: Point-in-time recovery for DynamoDB). */
const backupDays = 35;

/** `lead erase`. */
export function leadEraseCommand(lead: Command, desk: Desk): void {
  lead
    .command('erase')
    .description("remove a lead and the person's data for good, wherever it lies")
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .requiredOption('--lead <ID>', "lead's id", parseId)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Removes the lead, its timeline, what is remembered of its captures and imports,
and the lead's phones and e-mails on other leads' timelines: those of phone and
email, now and before, not what fields of your own hold besides, such as a
guardian's phone. Reads the whole table once. After a kill, run it again. Other leads whose fields name the person
are listed and left as they are. Files are not touched: one that still names the
person makes the lead again when it is imported again. Backups keep the person
for up to ${backupDays} days.

Example:
  npm run admin -- lead erase --organization 1 --lead 5`,
    )
    .action((options: EraseOptions) => erase(desk, options));
}

async function erase(desk: Desk, { organization: organizationId, lead: leadId, yes = false }: EraseOptions): Promise<void> {
  const table = desk.table();
  await existingOrganization(table, organizationId);
  const lead = await readLead(table, organizationId, leadId);
  if (lead && !yes) {
    await confirmed(
      `Lead ${leadId} of organization ${organizationId} (${printable(String(lead.fields.name))}) will be gone for good.`,
      String(leadId),
    );
  }
  const erased = await eraseLead(table, organizationId, leadId, {
    deed: { who: await desk.who(), what: `lead erase ${leadId}` },
    onProgress: (items) => desk.progress(`Erasing: ${counted(items, 'item')} read`),
  });
  if (!erased) throw new CommandRefused(`Organization ${organizationId} has no lead ${leadId}.`);
  const backupsUntil = new Date(Date.now() + backupDays * 86_400_000).toISOString();
  desk.answer({ leadId, ...erased, backupsUntil }, () => report(organizationId, leadId, erased, backupsUntil));
}

function report(organizationId: number, leadId: number, erased: Erased, backupsUntil: string): string {
  const { timelineEntries, idempotencyRecords, importedRows, otherEntries, mentions } = erased;
  const named = mentions.map(({ leadId: other, fields }) => `${other} (${fields.join(', ')})`).join(', ');
  return [
    `Lead ${leadId} of organization ${organizationId} is erased, with ${counted(timelineEntries, 'timeline item')}, ` +
      `${counted(idempotencyRecords, 'idempotency record')}, ${counted(importedRows, 'imported row')}; ` +
      `the person was taken out of ${counted(otherEntries, 'timeline item')} of other leads.`,
    ...(mentions.length > 0
      ? [`Other leads name the person's phone or e-mail in their own fields; judge those yourself: ${named}.`]
      : []),
    `Point-in-time recovery still holds the person until ${backupsUntil.slice(0, 10)}, on-demand backups and exported files until they are deleted. ` +
      'A restore from before now brings the person back until restore finish ends that.',
  ].join('\n');
}
