import { createInterface } from 'node:readline/promises';
import { CommandError } from './command.ts';

/** Whether a person is at a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks on the terminal. @returns the answer; empty if the terminal ends its input */
export async function ask(question: string): Promise<string> {
  const { stdin: input, stderr: output } = process;
  const terminal = createInterface({ input, output, prompt: question });
  terminal.prompt();
  for await (const line of terminal) return line.trim();
  return '';
}

/**
 * Asks the user to type a word before a step that cannot be undone.
 * @throws CommandError if they type anything else, or if there is no terminal
 */
export async function confirmed(warning: string, word: string): Promise<void> {
  if (!canAsk())
    throw new CommandError(
      `${warning}${warning.includes('\n') ? '\n' : ' '}Add --yes to confirm: there is no terminal to ask on.`,
    );
  const typed = await ask(`${warning}\nType ${word} to continue: `);
  if (typed !== word) throw new CommandError(`Nothing was changed: ${word} was not typed.`);
}
