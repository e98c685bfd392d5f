/** Why the service cannot start, in one sentence for the person who started it. Ends the process with status 1 and no stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
