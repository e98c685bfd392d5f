import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

/** Adds commands to a program, or to the command above them. @param args of the command line, which tell what to import */
export type AddCommands = (
  parent: Command,
  context: CommandContext,
  args: readonly string[],
) => void | Promise<void>;

/** Commands that are imported only when they are used, because imports are most of the time that a command takes to start. */
export interface LazyCommands {
  readonly names: readonly string[];
  readonly load: () => Promise<AddCommands>;
}
