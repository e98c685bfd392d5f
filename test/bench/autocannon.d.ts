/** What the load measurement uses of autocannon, which brings no types. */
declare module 'autocannon' {
  namespace autocannon {
    interface Request {
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
    interface Client {
      setRequests(requests: readonly Request[]): void;
    }
    interface Options {
      readonly url: string;
      readonly connections: number;
      readonly amount: number;
      /** Seconds. */
      readonly timeout: number;
      readonly setupClient: (client: Client) => void;
    }
    interface Result {
      /** Milliseconds. */
      readonly latency: { readonly p50: number; readonly p99: number };
      readonly errors: number;
      readonly timeouts: number;
      readonly non2xx: number;
      /** Seconds. */
      readonly duration: number;
    }
  }
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>;
  export = autocannon;
}
