import type { CliCommand } from '../../cli/command.ts';
import type { CommandContext } from '../context.ts';
import { leadImportCommand } from '../import/command.ts';
import { leadArchiveCommands } from './archive.ts';
import { leadDossierCommand } from './dossier.ts';
import { leadEditCommand } from './edit.ts';
import { leadEraseCommand } from './erase.ts';
import { leadExportCommand } from './export.ts';
import { leadFindCommand } from './find.ts';
import { leadListCommand } from './list.ts';
import { leadReassignCommand } from './reassign.ts';
import { leadShowCommand } from './show.ts';
import { leadTimelineCommand } from './timeline.ts';
import { leadTimelinesCommand } from './timelines.ts';

/** In the order of the help. */
const commands = [
  leadArchiveCommands,
  leadShowCommand,
  leadFindCommand,
  leadListCommand,
  leadEditCommand,
  leadReassignCommand,
  leadTimelineCommand,
  leadImportCommand,
  leadExportCommand,
  leadTimelinesCommand,
  leadDossierCommand,
  leadEraseCommand,
];

export function leadCommands(program: CliCommand, context: CommandContext): void {
  const lead = program
    .command('lead')
    .description(
      'archive, restore, show, find, list, edit, reassign, import, export and erase leads, print their timelines, and write dossiers',
    )
    .notes('\nExample:\n  npm run admin -- lead list --organization 1 --limit 5');
  for (const addTo of commands) addTo(lead, context);
}
