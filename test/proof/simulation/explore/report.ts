/** What an exploration comes to. */
export interface Summary {
  readonly histories: number;
  readonly faults: number;
  readonly violations: number;
}

export const noHistory: Summary = { histories: 0, faults: 0, violations: 0 };

/** What any number of random histories came to. */
export interface HistoryTotals extends Summary {
  readonly requests: number;
  /** Commands of administrators. */
  readonly commands: number;
  readonly calls: number;
  readonly simulatedHours: number;
}

/** Where an exploration tells how far it is, and what it found. */
export interface Report {
  /** Replaces the line before it. */
  readonly progress: (text: string) => void;
  readonly print: (text: string) => void;
}

export const noReport: Report = { progress: () => undefined, print: () => undefined };

/** The figures of the first, each with what the other adds to it. */
export function sumOf<Figures extends Summary>(one: Figures, other: Figures): Figures {
  const names = Object.keys(one) as (keyof Figures)[];
  const sums = names.map((name) => [name, Number(one[name]) + Number(other[name])]);
  return Object.fromEntries(sums) as Figures;
}
