import { limits } from './limits.ts';

/** The environment variables that set a deployment's hourly limits. infra/ writes them, and only this file reads them. */
export const rateLimitVariables = {
  requestsPerKeyPerWindow: 'REQUESTS_PER_KEY_PER_HOUR',
  requestsPerOrganizationPerWindow: 'REQUESTS_PER_ORGANIZATION_PER_HOUR',
} as const;

/**
 * The maximum of both limits. A token bucket is one item, and DynamoDB allows 1,000 writes a second to an item. At this limit the mean rate
 * is 100 a second, which leaves room for bursts of ten times the mean.
 */
export const requestsPerWindowMax = 360_000;

type RateLimits = Readonly<Record<keyof typeof rateLimitVariables, number>>;

/**
 * The hourly limits that an environment sets.
 * @throws Error that names the variable, unless it is a whole number from 1 to `requestsPerWindowMax`
 */
export function rateLimitsIn(
  environment: Readonly<Record<string, string | undefined>>,
): Partial<RateLimits> {
  const set = Object.entries(rateLimitVariables).flatMap(([name, variable]) => {
    const text = environment[variable];
    if (text === undefined) return [];
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= requestsPerWindowMax) return [[name, value]];
    throw new Error(
      `${variable} is '${text}': it must be a whole number from 1 to ${requestsPerWindowMax}.`,
    );
  });
  return Object.fromEntries(set);
}

/** The hourly limits of this deployment: the contract's (section 8) unless the environment sets others. */
export const rateLimits: RateLimits = { ...limits, ...rateLimitsIn(process.env) };
