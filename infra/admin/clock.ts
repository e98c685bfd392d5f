import type { Table } from '../../shared/store/table/client.ts';
import { CommandError } from '../cli/command.ts';
import { countOf } from '../cli/format.ts';

/**
 * Sync jobs overlap their runs by a minute. An index may show a change up to twenty seconds after its date, so this machine's clock may
 * differ by forty.
 */
const differenceMaxMs = 40_000;
const dayMs = 86_400_000;
/** An HTTP date is rounded to seconds. */
const dateRoundingMs = 1000;

/**
 * Refuses every write if DynamoDB's first response shows that this machine's clock is wrong. AWS itself does not refuse, because the SDK
 * corrects its signatures by the same date: https://github.com/aws/aws-sdk-js-v3/pull/3133. Every command reads before it writes, so
 * nothing has changed.
 */
export function checkClock({ client }: Table): void {
  let isChecked = false;
  let issue: CommandError | undefined;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (issue && isWrite(commandName)) throw issue;
        const sentAt = Date.now();
        const result = await next(args);
        const { headers } = result.response as {
          readonly headers: Readonly<Record<string, string>>;
        };
        if (!isChecked) issue = clockIssue(Date.parse(headers.date ?? ''), sentAt, Date.now());
        isChecked = true;
        return result;
      },
    // Runs inside the SDK's own middleware of this step, so that it also sees the response to a refused signature.
    { step: 'deserialize', priority: 'low', name: 'checkClock' },
  );
}

const isWrite = (commandName: string): boolean =>
  /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(commandName);

/** @param date the response's date, NaN if it has none @returns an issue if the clock is ahead or behind, however long the call took */
function clockIssue(date: number, sentAt: number, receivedAt: number): CommandError | undefined {
  const aheadMs = sentAt - (date + dateRoundingMs);
  const differenceMs = Math.max(aheadMs, date - receivedAt);
  if (Number.isNaN(differenceMs) || differenceMs <= differenceMaxMs) return undefined;
  const direction = differenceMs === aheadMs ? 'ahead of' : 'behind';
  const [unit, unitMs] = differenceMs > 2 * dayMs ? ['day', dayMs] : ['minute', 60_000];
  const difference = countOf(Math.round(differenceMs / unitMs), unit);
  return new CommandError(
    `The clock of this machine is ${difference} ${direction} DynamoDB's, so changes would get wrong times: set the clock, then run the command again.`,
  );
}
