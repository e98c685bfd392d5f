import type { StartedProcess } from './guarded-process.ts';

/** A DynamoDB engine that this machine may be able to run. */
export interface EngineKind {
  readonly name: 'dynoxide' | 'dynamodb-local';
  /** How to make it run; completes a sentence. */
  readonly remedy: string;
  /** Returns the command that starts the engine, or why this machine cannot run it. */
  find(): Promise<EngineCommand | { readonly missing: string }>;
}

/** Where an engine keeps its data. */
export interface EngineData {
  readonly folder: string;
  readonly inMemory: boolean;
  /** Gets the pid of the engine. */
  readonly pidFile?: string;
}

export interface EngineCommand {
  /** Starts the engine on 127.0.0.1. The first group of the match is its address. */
  start(data: EngineData): Promise<StartedProcess>;
}
