import { appendFileSync } from 'node:fs';

/** What a test of this folder measured, for the record that `npm run soak -- --record FILE` adds to. */
export type Figure =
  | {
      readonly about: 'death';
      readonly scenario: string;
      readonly site: string;
      readonly moment: string;
    }
  | {
      readonly about: 'limit';
      readonly test: string;
      readonly limit: number;
      readonly passed: number;
      readonly repeated: number;
    };

/** Names the file that takes the figures, one JSON line each. */
export const figuresVariable = 'RELIABILITY_FIGURES';

/** Whether somebody started the tests for their figures. */
export const isReported = process.env[figuresVariable] !== undefined;

/** Hands a figure to whoever started the tests for it; else does nothing. */
export function report(figure: Figure): void {
  const file = process.env[figuresVariable];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
