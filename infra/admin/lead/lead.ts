import type { CliCommand } from '../../cli/command.ts';
import type { CommandContext } from '../context.ts';
import { leadImportCommand } from '../import/command.ts';
import { leadArchiveCommands } from './archive.ts';
import { leadDossierCommand } from './dossier.ts';
import { leadEditCommand } from './edit.ts';
import { leadEraseCommand } from './erase.ts';
import { leadExportCommand } from './export.ts';

import { leadFindCommand, leadListCommand } from './list.ts';
import { leadReassignCommand } from './reassign.ts';
import { leadShowCommands } from './show.ts';
import { leadTimelinesCommand } from './timelines.ts';

/** In the order of the help. */
const commands = [
  leadArchiveCommands,
  leadShowCommands,
  leadFindCommand,
  leadListCommand,
  leadEditCommand,
  leadReassignCommand,
  leadImportCommand,
  leadExportCommand,
  leadTimelinesCommand,
  leadDossierCommand,
  leadEraseCommand,
];

export function leadCommands(program: CliCommand, context: CommandContext): void {
  const lead = program
    .command('lead')
    .description('show, find, list, change, import, export and erase leads')
    .notes('\nExample:\n  npm run admin -- lead list --organization 1 --limit 5');
  for (const addTo of commands) addTo(lead, context);
}
