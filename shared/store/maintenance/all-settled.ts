/**
 * As `Promise.all`, but an error waits for the others: when a command fails, nothing that it began is still being written.
 * @throws the error of the first that failed, in the order given
 */
export async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
