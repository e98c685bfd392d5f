/** Why the service cannot start or go on, as one sentence for the person who started it. Ends the process with status 1, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
