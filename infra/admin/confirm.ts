import { createInterface } from 'node:readline/promises';
import { CommandError } from './context.ts';

/** Whether there is a person at a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Has a person type a word before what cannot be undone is done.
 * @throws CommandRefused when they type anything else, and where nobody can be asked
 */
export async function confirmed(warning: string, word: string): Promise<void> {
  const { stdin: input, stderr: output } = process;
  if (!canAsk()) {
    throw new CommandError(
      `${warning}${warning.includes('\n') ? '\n' : ' '}Add --yes to do it: there is no terminal on which to ask.`,
    );
  }
  const asked = createInterface({ input, output });
  try {
    const typed = await asked.question(`${warning}\nType ${word} to go on: `);
    if (typed.trim() !== word) throw new CommandError(`Nothing was done: ${word} was not typed.`);
  } finally {
    asked.close();
  }
}
