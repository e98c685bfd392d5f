/** The engine's answer to a call that the proxy passed on. */
export interface EngineReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Record<string, unknown>;
}

/** Sends a call on to the engine, with this body in the place of its own. */
export type Forward = (body: Readonly<Record<string, unknown>>) => Promise<EngineReply>;
