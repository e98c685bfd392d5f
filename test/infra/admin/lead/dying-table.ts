import type { Table } from '../../../../shared/store/table/client.ts';
import { table } from '../../../support/table.ts';

type Send = (...args: unknown[]) => Promise<unknown>;

/** The table, on which the n-th and every later call of the erasure fails: the process has died there. */
export function dyingAfter(
  calls: number,
  on = table(),
): { table: Table; settled: () => Promise<void> } {
  let made = 0;
  const underWay = new Set<Promise<unknown>>();
  const send: Send = (...args) => {
    made += 1;
    if (made > calls) throw new Error('The process died.');
    const answer = (on.client.send as Send).apply(on.client, args);
    underWay.add(answer);
    return answer.finally(() => underWay.delete(answer));
  };
  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  };
  return { table: { ...on, client: Object.create(on.client, { send: { value: send } }) }, settled };
}
