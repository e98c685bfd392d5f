/** Texts that a CSV file carries only inside quotes, or with a guard against formulas. */
export const hardTexts = [
  'one\ntwo',
  'one\rtwo',
  'one\r\ntwo',
  '\n',
  'one;two',
  'one,two',
  'one\ttwo',
  'a "quoted" text',
  '"',
  ' with blanks ',
  'one\n=1+1',
  'one\r@sum',
  'one\r\n-1;+2',
  '=1+1\ntwo',
];
