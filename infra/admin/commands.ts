import type { AdminCommand } from './command.ts';
import { leadImportCommand } from './import/command.ts';
import { keyCommands, keyCreateCommand } from './key/key.ts';
import { leadArchiveCommands } from './lead/archive.ts';
import { leadEditCommand } from './lead/edit.ts';
import { leadEraseCommand } from './lead/erase.ts';
import { leadExportCommand } from './lead/export.ts';
import { leadFindCommand } from './lead/find.ts';
import { leadListCommand } from './lead/list.ts';
import { leadReassignCommand } from './lead/reassign.ts';
import { leadDossierCommand, leadShowCommands } from './lead/show.ts';
import { leadTimelinesCommand } from './lead/timelines.ts';
import { organizationApplyCommand } from './organization/apply.ts';
import { organizationInitCommands } from './organization/init.ts';
import { organizationHistoryCommands, organizationShowCommands } from './organization/versions.ts';
import { openCommand } from './page/open.ts';
import { requestCommand } from './request/request.ts';
import { checkCommand } from './table/check.ts';
import { restoreCommands } from './table/restore.ts';
import { serviceCommands } from './table/service.ts';

type AddCommands = (noun: AdminCommand) => void;

/** In the order of the help. */
const nouns: readonly [name: string, description: string, commands: readonly AddCommands[]][] = [
  [
    'organization',
    'create, apply, show, list and compare organization settings, and undo an apply',
    [
      organizationInitCommands,
      organizationApplyCommand,
      organizationShowCommands,
      organizationHistoryCommands,
    ],
  ],
  ['key', 'create, list, rotate and revoke API keys', [keyCreateCommand, keyCommands]],
  [
    'lead',
    'show, find, list, change, import, export and erase leads',
    [
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
    ],
  ],
  ['restore', 'finish restoring a table from a backup', [restoreCommands]],
  ['service', 'stop and start a deployed service', [serviceCommands]],
];

/** Adds every command to the program. */
export function addCommands(program: AdminCommand): void {
  for (const [name, description, commands] of nouns) {
    const noun = program.command(name).description(description);
    for (const add of commands) add(noun);
  }
  checkCommand(program);
  requestCommand(program);
  openCommand(program);
}
