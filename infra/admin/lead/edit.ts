import { FieldIssue, type RawValue } from '../../../shared/leads/field-values.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { pairOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { readCell } from '../files/cell-formats.ts';
import type { LeadUpdate } from '../import/decide.ts';
import { ImportReport } from '../import/report.ts';
import type { ReadRow } from '../import/rows.ts';
import { updateByRow, updateText } from '../import/update.ts';
import { namedId } from '../named.ts';
import { type CountryCode, countryOption, parseText } from '../options.ts';
import { eachLead, unknownLeadError } from './named-lead.ts';

interface EditOptions {
  lead: readonly number[];
  /** New values by field key. */
  set?: ReadonlyMap<string, string>;
  stage?: string;
  pipeline?: string;
  owner?: string;
  source?: string;
  note?: string;
  country?: CountryCode;
  dryRun?: boolean;
}

export function leadEditCommand(lead: AdminCommand): void {
  lead
    .ofLeads('edit', 'change fields, stage, owner or source of leads, or add a note')
    .option(
      '--set <KEY=VALUE>',
      'new value of a field, named by its key; an empty VALUE empties the field; may be repeated',
      pairOption('It must be a field key and a value: city=Pune.'),
    )
    .option('--stage <STAGE>', 'new stage, named by ID or name')
    .option('--pipeline <PIPELINE>', 'new pipeline, named by ID or name')
    .option('--owner <USER>', 'new owner, named by ID or name')
    .option('--source <SOURCE>', 'new source, named by ID or name')
    .option('--note <TEXT>', 'add a note to the timeline of each lead', parseText)
    .addOption(countryOption())
    .option('--dry-run', 'print what would change, and change nothing')
    .notes(`
The rules of update-lead apply, to archived leads too. Separate several options
with commas (hostel,loan). If a lead is refused, the command names it with the
reason, changes the others, and ends with status 1. If interrupted, run it again: a
note that is the last item of a lead's timeline is not added again.`)
    .examples(
      "--organization 1 --lead 5 --set phone='+91 98200 12345'",
      "--organization 1 --lead 5,8 --stage 'Visa granted' --owner 'Asha Rao' --note 'Paid by transfer' --dry-run",
    )
    .refuse(
      ({ set, stage, pipeline, owner, source, note }: EditOptions) =>
        [set, stage, pipeline, owner, source, note].every((value) => value === undefined) &&
        'name what to change, such as --set city=Pune',
    )
    .json('{"items":[{"leadId":1,"changed":["phone","stage"]}]}')
    .run(edit);
}

async function edit(context: CommandContext, options: EditOptions): Promise<void> {
  const { lead: leadIds, country, dryRun = false } = options;
  const organization = await context.organization();
  const row = rowOf(organization, options);
  const by = await context.callerIdentity();
  const editOne = async (leadId: number): Promise<LeadUpdate> => {
    const lead = { organizationId: organization.id, leadId, by, dryRun };
    const result = await updateByRow(context.table(), lead, row, () => context.organization());
    if (!result) throw unknownLeadError(context, leadId);
    if (result.update) return result.update;
    throw new CommandError(
      `Lead ${leadId}: ${result.issues.map(({ sentence }) => sentence).join(' ')}`,
    );
  };
  const { items, refusals } = await context.audited(
    `lead edit ${leadIds.join(',')}`,
    () => eachLead(context, leadIds, editOne),
    (done) => countOf(done.items.length, 'lead'),
    { leadIds, dryRun },
  );
  const result = items.map(({ leadId, changes }) => ({
    leadId,
    changed: changes.map(({ field }) => field),
  }));
  const outcomes = items.map((update) => updateText(organization, update, dryRun));
  if (items.length === 0) outcomes.push('No lead was changed.');
  const report = new ImportReport(organization, country);
  report.add([{ ...row, outcome: 'updated', issues: [] }]);
  context.print({ items: result }, outcomes, [...report.phoneLines()]);
  context.refuse(refusals);
}

/**
 * The row of an import that would make the same change.
 * @throws CommandError if the organization does not have a name, or if a value can be read in two ways
 */
function rowOf(organization: Organization, options: EditOptions): ReadRow {
  const { owner, source, country, note } = options;
  const set = new Map(options.set);
  if (owner !== undefined) set.set('assigned_to', owner);
  if (source !== undefined) set.set('source', source);
  const fields = [...set].map(([key, text]) => [key, rawValue(organization, key, text, country)]);
  const pipeline = namedId(organization, 'pipeline', options.pipeline);
  // Two pipelines may have a stage with the same name.
  const stages = organization.stages.filter(
    ({ pipelineId }) => pipeline === undefined || pipelineId === pipeline,
  );
  const stage = namedId({ ...organization, stages }, 'stage', options.stage, 'active');
  const properties = { stage: stage ?? null, pipeline: pipeline ?? null, note: note ?? null };
  const read = { fields: Object.fromEntries(fields), properties, isEdit: true };
  return { number: 1, original: {}, sent: read, read, columnOf: (label) => ({ label, hint: '' }) };
}

/** A value as a request would send it, read like a cell of an import. */
function rawValue(
  organization: Organization,
  key: string,
  text: string,
  country: CountryCode | undefined,
): RawValue {
  const field = organization.fieldByKey.get(key);
  const type = field?.type;
  const references = type === undefined ? null : fieldKinds[type].references;
  if (references !== null && text.trim() !== '')
    return namedId(organization, references === 'users' ? 'user' : 'source', text, 'active');
  const raw = readCell({ name: key, field }, rawFromCell(text, type), { country });
  if (!(raw instanceof FieldIssue)) return raw;
  const hint = type === 'number' ? ' Write it like 12500.5.' : '';
  throw new CommandError(`${key} ${raw.sentence}${hint}`);
}
