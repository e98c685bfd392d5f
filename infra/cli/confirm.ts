import { createInterface } from 'node:readline/promises';
import { CommandError } from '../admin/context.ts';

/** Whether a person is at a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Asks a person to type a word before a step that cannot be undone.
 * @throws CommandError when they type anything else, and when there is no terminal
 */
export async function confirmed(warning: string, word: string): Promise<void> {
  const { stdin: input, stderr: output } = process;
  if (!canAsk()) {
    throw new CommandError(
      `${warning}${warning.includes('\n') ? '\n' : ' '}Add --yes to confirm: there is no terminal to ask on.`,
    );
  }
  const terminal = createInterface({ input, output });
  try {
    const typed = await terminal.question(`${warning}\nType ${word} to continue: `);
    if (typed.trim() !== word)
      throw new CommandError(`Nothing was changed: ${word} was not typed.`);
  } finally {
    terminal.close();
  }
}
