export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/proof/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true, // for a changed constant, every test would run again
  // This file does not exist: to rewrite one, Stryker needs TypeScript's compiler API, which TypeScript 7 lacks.
  tsconfigFile: 'none.json',
  disableTypeChecks: false, // nothing compiles the copy
  ignorePatterns: ['.local', 'dist', 'cdk.out'],
  tempDirName: '.local/mutation',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { reportTests: false, logTests: false },
  jsonReporter: { fileName: '.local/mutation.json' },
  allowConsoleColors: process.stdout.isTTY === true,
  timeoutMS: 30_000, // a busy machine is no endless loop
};
