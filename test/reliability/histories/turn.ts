import fc from 'fast-check';
import { seededRandom } from '../../support/faults/rules.ts';
import type { Notebook } from './notebook.ts';
import type { World } from './world.ts';

/** One turn of one client. All chance comes from `random`, so that a seed says what is asked. */
export interface Turn {
  readonly world: World;
  /** Names the turn, and so its effects. */
  readonly name: string;
  readonly random: () => number;
}

export type Command = (turn: Turn) => Promise<void>;

/** One client of a world, by its number. */
export interface Client {
  readonly world: World;
  readonly number: number;
  turns: number;
}

/** A turn as fast-check draws, runs and prints it: what a client does, and the seed of its chance. The model is the notebook. */
class DrawnTurn implements fc.AsyncCommand<Notebook, Client> {
  private readonly command: Command;
  private readonly seed: number;

  constructor(command: Command, seed: number) {
    this.command = command;
    this.seed = seed;
  }

  check(): boolean {
    return true; // a turn whose lead there is not yet does nothing
  }

  async run(_model: Notebook, client: Client): Promise<void> {
    client.turns += 1;
    const { world, number, turns } = client;
    await this.command({ world, name: `${number}-${turns}`, random: seededRandom(this.seed) });
  }

  toString(): string {
    return `${this.command.name}(${this.seed})`;
  }
}

export type Turns = Iterable<fc.AsyncCommand<Notebook, Client>>;

/** What each of several clients does in turn, drawn by fast-check: the same for the same seed. */
export function drawTurns(
  weighted: WeightedCommands,
  seed: number,
  clients: number,
  turnsMax: number,
): readonly Turns[] {
  const turn = fc.oneof(
    ...weighted.map(([weight, command]) => ({
      weight,
      arbitrary: fc.nat().map((chance) => new DrawnTurn(command, chance)),
    })),
  );
  const turns = fc.commands<Notebook, Client, false>([turn], {
    maxCommands: turnsMax,
    size: 'max',
  });
  return (
    fc.sample(fc.array(turns, { minLength: clients, maxLength: clients }), {
      seed,
      numRuns: 1,
    })[0] ?? []
  );
}
/** What clients may do, each with its weight in a history. */
export type WeightedCommands = readonly (readonly [weight: number, command: Command])[];

/** Undefined of an empty list. */
export const pick = <T>(random: () => number, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;
