/** Defects of the service that the simulator found, each mended and kept as a test. */
export interface FoundDefect {
  readonly what: string;
  readonly by: string;
  /** The file of the test that keeps it, relative to this folder's parent `test/`. */
  readonly test: string;
}

export const foundDefects: readonly FoundDefect[] = [
  {
    what: 'A request whose settings could not be read was answered 500 and still sent a call when its instance thawed for the next request.',
    by: 'random history 27',
    test: 'simulation/findings.test.ts',
  },
  {
    what: 'An import that failed at one row went on writing others after it had told of its failure, and so did an erasure in the other parts of the table.',
    by: 'random history 6627',
    test: 'simulation/findings.test.ts',
  },
  {
    what: 'An apply that removed a user told that nothing was changed, and left the user inactive, if a key was made meanwhile and it had to look once more.',
    by: 'the scenario of a user who is removed while a key is made',
    test: 'shared/store/organizations/apply-removals.integration.test.ts',
  },
];
