/** The middle one; NaN of nothing. */
export const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** The smallest number that the share of all numbers does not exceed. @param share 0 to 1 */
export function percentile(numbers: readonly number[], share: number): number {
  const ordered = [...numbers].sort((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.floor(share * ordered.length))] ?? Number.NaN;
}

/** Thousands with commas; a fraction only where the number is small enough for it to matter. */
export function shown(
  number: number,
  digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2,
): string {
  return Number(number.toFixed(digits)).toLocaleString('en-US', { maximumFractionDigits: digits });
}
