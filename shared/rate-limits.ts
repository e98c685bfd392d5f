import { limits } from './limits.ts';

/** The environment variables by which a deployment sets its own hourly limits. infra/ writes them, this file alone reads them. */
export const rateLimitVariables = {
  requestsPerKeyPerWindow: 'REQUESTS_PER_KEY_PER_HOUR',
  requestsPerOrganizationPerWindow: 'REQUESTS_PER_ORGANIZATION_PER_HOUR',
} as const;

/**
 * The most that either may be set to. A bucket is one item, and one item takes 1,000 writes a second: at this limit the mean is
 * 100 a second, which leaves room for a rush of ten times that.
 */
export const requestsPerWindowMax = 360_000;

type RateLimits = Readonly<Record<keyof typeof rateLimitVariables, number>>;

/** The hourly limits of this deployment: the contract's (section 8) unless the environment sets others.
 *  @throws Error naming the variable that is no whole number from 1 to `requestsPerWindowMax`. */
export function readRateLimits(environment: Readonly<Record<string, string | undefined>>): RateLimits {
  const read = (name: keyof RateLimits): number => {
    const text = environment[rateLimitVariables[name]];
    if (text === undefined) return limits[name];
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= requestsPerWindowMax) return value;
    throw new Error(`${rateLimitVariables[name]} is '${text}': it takes a whole number from 1 to ${requestsPerWindowMax}.`);
  };
  return {
    requestsPerKeyPerWindow: read('requestsPerKeyPerWindow'),
    requestsPerOrganizationPerWindow: read('requestsPerOrganizationPerWindow'),
  };
}

export const rateLimits: RateLimits = readRateLimits(process.env);
