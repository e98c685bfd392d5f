/** What a function's worker is told when it starts. */
export interface WorkerStart {
  /** The bundle, as a file URL. */
  readonly bundle: string;
  readonly functionName: string;
  readonly timeoutMs: number;
}

/** One event for the function, as JSON text: what Lambda receives, and cheaper to hand over than the object. */
export interface Invocation {
  readonly event: string;
  readonly requestId: string;
}

/** What a worker says: that it can take events, the answer as JSON text, or the error that the handler threw. */
export type WorkerWord = { readonly ready: true } | { readonly answer: string } | { readonly failure: string };
