/**
 * List prices in US dollars, region us-east-1 (N. Virginia), first tier, without free tier, savings plans, data transfer or tax.
 * Looked up on 2026-11-21:
 * - DynamoDB, on demand, Standard table class, as since 1 November 2024: https://aws.amazon.com/dynamodb/pricing/on-demand/
 *   (also https://airbyte.com/data-engineering-resources/dynamodb-pricing)
 * - Lambda, arm64: https://aws.amazon.com/lambda/pricing/
 * - API Gateway, REST API: https://aws.amazon.com/api-gateway/pricing/ (also table 4 of the white paper "Best Practices for
 *   Designing Amazon API Gateway Private APIs and Private Integration")
 * - CloudWatch: https://aws.amazon.com/cloudwatch/pricing/
 * - KMS, AWS WAF: https://aws.amazon.com/kms/pricing/, https://aws.amazon.com/waf/pricing/
 */
export const prices = {
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.000_013_333_4,
  apiGatewayRequest: 3.5 / 1e6,
  /** Ingested. Storage is $0.03 a GB and month. */
  logGigabyte: 0.5,
  /** By the month, whether requests come or not. */
  monthly: {
    alarmMetric: 0.1,
    /** In the hours in which it is reported, by the hour. */
    customMetric: 0.3,
    /** Three with up to 50 metrics are free. */
    dashboard: 3,
    /** From its second rotation on: $1, and $1 more for each of the first two. One that is rotated yearly reaches it after two years. */
    key: 3,
    webAcl: 5,
    webAclRule: 1,
  },
} as const;

/** What one request uses of what is paid for. */
export interface Usage {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly lambdaMs: number;
  readonly lambdaMemoryMb: number;
}

/** What a million such requests cost with API Gateway, in dollars. */
export function perMillion({ writeUnits, readUnits, lambdaMs, lambdaMemoryMb }: Usage): number {
  const gigabyteSeconds = (Math.ceil(lambdaMs) / 1000) * (lambdaMemoryMb / 1024);
  const dollars =
    writeUnits * prices.writeUnit +
    readUnits * prices.readUnit +
    prices.lambdaRequest +
    gigabyteSeconds * prices.lambdaGigabyteSecond +
    prices.apiGatewayRequest;
  return 1e6 * dollars;
}

/** Thousands with commas; a fraction only where the number is small enough for it to matter. */
export function shown(
  number: number,
  digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2,
): string {
  return Number(number.toFixed(digits)).toLocaleString('en-US', { maximumFractionDigits: digits });
}
