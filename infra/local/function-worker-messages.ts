/** What a worker gets when it starts. */
export interface WorkerStart {
  /** The bundle, as a file URL. */
  readonly bundle: string;
  readonly functionName: string;
  readonly timeoutMs: number;
}

/** One event for the function, as JSON text: Lambda gets the same, and text is cheaper to pass to a worker than an object. */
export interface Invocation {
  readonly event: string;
  readonly requestId: string;
}

/** The handler's response as JSON text, or the error that the handler threw. */
export type WorkerResult = { readonly response: string } | { readonly failure: string };

/** What a worker sends: that it is ready for events, what the function printed, or the result of an event. */
export type WorkerMessage = { readonly ready: true } | { readonly output: string } | WorkerResult;
