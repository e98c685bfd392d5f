import { InvalidArgumentError } from 'commander';
import { isStorableText } from '../../../shared/json.ts';
import { FieldIssue, type RawValue } from '../../../shared/leads/field-types.ts';
import { lacksCountryCode } from '../../../shared/leads/identity.ts';
import type { FieldChange } from '../../../shared/leads/timeline.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import { type RequestedUpdate, updatedLead } from '../../../shared/leads/update.ts';
import { limits } from '../../../shared/limits.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { addMissingNote, editLead } from '../../../shared/store/maintenance/edit-lead.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf, printable } from '../../cli/format.ts';
import { type CommandContext, tableForOneWrite } from '../context.ts';
import { type CountryCode, countryOption, phoneOfCountry } from '../country.ts';
import { cellReader } from '../import/cell-formats.ts';
import { namedId } from '../named-id.ts';
import { leadsCommand } from '../options.ts';
import { eachLead, unknownLeadError, valueWithName } from './named-lead.ts';

interface EditOptions {
  lead: readonly number[];
  /** By field key. */
  set?: ReadonlyMap<string, string>;
  stage?: string;
  pipeline?: string;
  owner?: string;
  source?: string;
  note?: string;
  country?: CountryCode;
  dryRun?: boolean;
}

export function leadEditCommand(lead: CliCommand, context: CommandContext): void {
  leadsCommand(lead, 'edit', 'change fields, stage, owner or source of leads, or add a note')
    .option(
      '--set <KEY=VALUE>',
      'new value of a field, named by its key; an empty VALUE empties the field; may be repeated',
      parseSet,
    )
    .option('--stage <STAGE>', 'new stage, named by ID or name')
    .option('--pipeline <PIPELINE>', 'new pipeline, named by ID or name')
    .option('--owner <USER>', 'new owner, named by ID or name')
    .option('--source <SOURCE>', 'new source, named by ID or name')
    .option('--note <TEXT>', 'add a note to the timeline of each lead', parseNote)
    .addOption(countryOption())
    .option('--dry-run', 'print what would change, and change nothing')
    .notes(`
The rules of update-lead apply, to archived leads too. Separate several options
with commas (hostel,loan). If a lead is refused, the command names it with the
reason, changes the others, and ends with status 1. If interrupted, run it again:
if a lead's last item is the same note, less than 10 minutes old, it is not repeated.`)
    .examples(
      "--organization 1 --lead 5 --set phone='+91 98200 12345'",
      "--organization 1 --lead 5,8 --stage Enrolled --owner 'Asha Rao' --note 'Paid by transfer' --dry-run",
    )
    .refuse(
      ({ set, stage, pipeline, owner, source, note }: EditOptions) =>
        [set, stage, pipeline, owner, source, note].every((value) => value === undefined) &&
        'name what to change, such as --set city=Pune',
    )
    .action((_id, options: EditOptions) => edit(context, options));
}

/** Splits at the first `=`: a field key has none. */
function parseSet(text: string, before: ReadonlyMap<string, string> = new Map()) {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be a field key and a value: city=Pune.');
  return new Map([...before, [text.slice(0, at).trim(), text.slice(at + 1)]]);
}

function parseNote(text: string): string {
  const note = text.trim();
  const { noteMaxChars } = limits;
  if (note !== '' && [...note].length <= noteMaxChars && isStorableText(note)) return note;
  throw new InvalidArgumentError(`It must be a text of 1 to ${noteMaxChars} characters.`);
}

async function edit(context: CommandContext, options: EditOptions): Promise<void> {
  const { lead: leadIds, dryRun } = options;
  const organization = await context.organization();
  const requested = requestedUpdate(organization, options);
  const run = () =>
    eachLead(context, leadIds, (leadId) => editOne(context, leadId, requested, options));
  const { items, refusals } = await (dryRun
    ? run()
    : context.audited(`lead edit ${leadIds.join(',')}`, run, (done) =>
        countOf(done.items.length, 'lead'),
      ));
  const result = items.map(({ leadId, changes }) => ({
    leadId,
    changed: changes.map(({ field }) => field),
  }));
  const outcomes = items.map((item) => outcomeOf(organization, item, options));
  if (items.length === 0) outcomes.push('No lead was changed.');
  context.print({ items: result }, outcomes, phonesReadAsIndian(organization, options));
  context.refuse(refusals);
}

/** @throws CommandError for a name that the organization does not have, or a value that can be read in two ways */
function requestedUpdate(organization: Organization, options: EditOptions): RequestedUpdate {
  const { owner, source, country } = options;
  const set = new Map(options.set);
  if (owner !== undefined) set.set('assigned_to', owner);
  if (source !== undefined) set.set('source', source);
  const fields = [...set].map(([key, text]) => [key, rawValue(organization, key, text, country)]);
  const pipelineId = namedId(organization, 'pipeline', options.pipeline);
  // Two pipelines may each have a stage of the name.
  const stages = organization.stages.filter(
    (stage) => pipelineId === undefined || stage.pipelineId === pipelineId,
  );
  return {
    fields: Object.fromEntries(fields),
    stageId: namedId({ ...organization, stages }, 'stage', options.stage),
    pipelineId,
  };
}

/** A value as a request would send it, read as an import reads a cell. */
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
    return namedId(organization, references === 'users' ? 'user' : 'source', text);
  const read = cellReader({ country });
  const raw = read({ column: key, target: { name: key, field } }, rawFromCell(text, type));
  if (!(raw instanceof FieldIssue)) return raw;
  const hint = type === 'number' ? ' Write it like 12500.5.' : '';
  throw new CommandError(`${key} ${raw.sentence}${hint}`);
}

interface EditedItem {
  readonly leadId: number;
  readonly changes: readonly FieldChange[];
  readonly isNoted: boolean;
}

/** A later repeat of a note is another event, such as a second call that nobody answered. */
const noteRepeatedWithinMs = 10 * 60_000;

/** @throws CommandError for a lead that does not exist, or a phone or email of another lead; ApiError for what the rules refuse */
async function editOne(
  context: CommandContext,
  leadId: number,
  requested: RequestedUpdate,
  { note, dryRun = false }: EditOptions,
): Promise<EditedItem> {
  const table = tableForOneWrite(context.table());
  const by = await context.callerIdentity();
  const lead = { organizationId: context.organizationId, leadId, by, dryRun };
  const edited = await editLead(table, lead, async (before) =>
    updatedLead(await context.organization(), before, requested, new Date()),
  );
  if (edited.outcome === 'absent') throw unknownLeadError(context, leadId);
  if (edited.outcome === 'duplicate')
    throw new CommandError(
      `Lead ${leadId}: the ${edited.holder.field} belongs to lead ${edited.holder.leadId}.`,
    );
  const begun = new Date(Date.now() - noteRepeatedWithinMs).toISOString();
  // The last item has the note after an interruption.
  const isNoted =
    note !== undefined &&
    (await addMissingNote(table, lead, note, (all) =>
      all.slice(-1).filter(({ at }) => at > begun),
    ));
  return { leadId, changes: edited.outcome === 'changed' ? edited.changes : [], isNoted };
}

function outcomeOf(
  organization: Organization,
  { leadId, changes, isNoted }: EditedItem,
  { note, dryRun }: EditOptions,
): string {
  const would = dryRun ? 'would be ' : '';
  const changed = changes.map(({ field, from, to }) => {
    const [before, after] = [from, to].map((value) => valueWithName(organization, field, value));
    return printable(`${field} ${before} → ${after}`);
  });
  const parts = [
    ...(changed.length === 0 ? [] : [`${changed.join(', ')} ${would}changed`]),
    ...(isNoted ? [`note ${would}added`] : []),
  ];
  const same =
    note === undefined
      ? 'has these values already'
      : 'its last item is this note already; not added again';
  return `Lead ${leadId}: ${parts.join(', ') || same}.`;
}

const phonesReadAsIndian = (organization: Organization, { set, country }: EditOptions): string[] =>
  [...(set ?? [])].flatMap(([key, text]) => {
    const isPhone = organization.fieldByKey.get(key)?.type === 'phone';
    const phone = isPhone && !country ? phoneOfCountry(text, undefined) : undefined;
    return phone === undefined || !lacksCountryCode(text, phone)
      ? []
      : [`${key} is read as Indian: ${phone}; add --country DE to read it as another country's.`];
  });
