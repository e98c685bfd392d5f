import { sendingThrough } from '../../../../shared/store/table/client.ts';
import { table } from '../../../support/table.ts';

/** The table, on which the n-th and every later call of the erasure fails: the process has died there. */
export function dyingAfter(calls: number) {
  const answers: Promise<unknown>[] = [];
  const dying = sendingThrough(table(), (send) => async (...call) => {
    if (answers.length === calls) throw new Error('The process died.');
    const answer = send(...call);
    answers.push(answer);
    return answer;
  });
  return { table: dying, settled: () => Promise.allSettled(answers) };
}
