/**
 * The size of a value in bytes, as DynamoDB counts it, never underestimated (AWS: DynamoDB item sizes and formats). A list or map adds 3
 * bytes, and 1 for each item or pair, so many small values need more bytes than their JSON.
 */
export function storedBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value !== 'object' || value === null) return 1;
  const parts = Array.isArray(value)
    ? value.map(storedBytes)
    : Object.entries(value).map(([name, part]) => Buffer.byteLength(name) + storedBytes(part));
  return parts.reduce((sum, bytes) => sum + bytes + 1, 3);
}

/** One byte per two significant digits, one if the pairs are not aligned, one for the exponent and one for a minus sign. */
function numberBytes(value: number): number {
  const digits = value.toExponential().replace(/e.*/, '').replace(/\D/g, '').length;
  return Math.ceil((digits + 1) / 2) + 1 + (value < 0 ? 1 : 0);
}
