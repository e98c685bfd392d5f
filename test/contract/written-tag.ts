/** Of the tests that `npm run verify -- --write` runs too, in one organization: about 70 requests that write all that the contract can write. */
export const writtenTag = {
  name: 'written',
  description: 'npm run verify -- --write runs it too, in an organization that it shares',
};
