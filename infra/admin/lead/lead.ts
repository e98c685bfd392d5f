import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import type { LazyCommands } from '../lazy-commands.ts';

/** In the order of the help. */
const commands: readonly LazyCommands[] = [
  {
    names: ['archive', 'restore'],
    load: async () => (await import('./archive.ts')).leadArchiveCommands,
  },
  { names: ['show'], load: async () => (await import('./show.ts')).leadShowCommand },
  { names: ['find'], load: async () => (await import('./find.ts')).leadFindCommand },
  { names: ['list'], load: async () => (await import('./list.ts')).leadListCommand },
  {
    names: ['reassign'],
    load: async () => (await import('./reassign.ts')).leadReassignCommand,
  },
  {
    names: ['timeline'],
    load: async () => (await import('./timeline.ts')).leadTimelineCommand,
  },
  { names: ['import'], load: async () => (await import('../import/command.ts')).leadImportCommand },
  { names: ['export'], load: async () => (await import('./export.ts')).leadExportCommand },
  {
    names: ['timelines'],
    load: async () => (await import('./timelines.ts')).leadTimelinesCommand,
  },
  { names: ['erase'], load: async () => (await import('./erase.ts')).leadEraseCommand },
];

export async function leadCommands(
  program: Command,
  context: CommandContext,
  args: readonly string[],
): Promise<void> {
  const lead = program
    .command('lead')
    .description(
      'archive, restore, show, find, list, reassign, import, export and erase leads, and print their timelines',
    )
    .addHelpText('after', '\nExample:\n  npm run admin -- lead list --organization 1 --limit 5');
  const name = args.slice(args.indexOf('lead') + 1).find((arg) => !arg.startsWith('-')) ?? '';
  const isKnown = commands.some(({ names }) => names.includes(name));
  for (const { names, load } of commands)
    if (!isKnown || names.includes(name)) await (await load())(lead, context, args);
}
