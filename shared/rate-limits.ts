import { keysOf } from './keys-of.ts';
import { limits } from './limits.ts';

/** The environment variables by which a deployment sets its own hourly limits. infra/ writes them; only this file reads them. */
export const rateLimitVariables = {
  requestsPerKeyPerWindow: 'REQUESTS_PER_KEY_PER_HOUR',
  requestsPerOrganizationPerWindow: 'REQUESTS_PER_ORGANIZATION_PER_HOUR',
} as const;

/**
 * The maximum of both limits. A token bucket is one item, and DynamoDB allows 1,000 writes a second to an item. At this limit the mean is
 * 100 a second, so bursts can be ten times the mean.
 */
export const requestsPerWindowMax = 360_000;

export type RateLimits = Readonly<Record<keyof typeof rateLimitVariables, number>>;

/** The hourly limits of this deployment: the contract's (section 8) unless the environment sets others.
 *  @throws Error that names a variable that is not a whole number from 1 to `requestsPerWindowMax` */
export function readRateLimits(
  environment: Readonly<Record<string, string | undefined>>,
): RateLimits {
  const read = (name: keyof RateLimits): number => {
    const text = environment[rateLimitVariables[name]];
    if (text === undefined) return limits[name];
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= requestsPerWindowMax) return value;
    throw new Error(
      `${rateLimitVariables[name]} is '${text}': it must be a whole number from 1 to ${requestsPerWindowMax}.`,
    );
  };
  return {
    requestsPerKeyPerWindow: read('requestsPerKeyPerWindow'),
    requestsPerOrganizationPerWindow: read('requestsPerOrganizationPerWindow'),
  };
}

/** The hourly limits that an environment sets; without those that it leaves to the contract. @throws Error as `readRateLimits` */
export function rateLimitsIn(
  environment: Readonly<Record<string, string | undefined>>,
): Partial<RateLimits> {
  const read = readRateLimits(environment);
  const set = keysOf(read).filter((name) => environment[rateLimitVariables[name]] !== undefined);
  return Object.fromEntries(set.map((name) => [name, read[name]]));
}

export const rateLimits: RateLimits = readRateLimits(process.env);
