/** What an exploration comes to. */
export interface Summary {
  histories: number;
  faults: number;
  violations: number;
}

/** What any number of random histories came to. */
export interface HistoryTotals extends Summary {
  requests: number;
  /** Commands of administrators. */
  commands: number;
  calls: number;
  simulatedHours: number;
  /** Of one core. */
  processorSeconds: number;
}

/** Where an exploration tells how far it is, and what it found. */
export interface Report {
  /** Replaces the line before it. */
  readonly progress: (text: string) => void;
  readonly print: (text: string) => void;
}

export const noReport: Report = { progress: () => undefined, print: () => undefined };

export const sumOf = (summaries: readonly Summary[]): Summary =>
  summaries.reduce(
    (sum, { histories, faults, violations }) => ({
      histories: sum.histories + histories,
      faults: sum.faults + faults,
      violations: sum.violations + violations,
    }),
    { histories: 0, faults: 0, violations: 0 },
  );
