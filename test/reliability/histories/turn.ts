import type { World } from './world.ts';

/** One turn of one client. All chance comes from `random`, so that a seed says what is asked. */
export interface Turn {
  readonly world: World;
  /** Names the turn, and so its effects. */
  readonly name: string;
  readonly random: () => number;
}

export type Command = (turn: Turn) => Promise<void>;
/** What clients may do, each with its weight in a history. */
export type WeightedCommands = readonly (readonly [weight: number, command: Command])[];

/** Undefined of an empty list. */
export const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
