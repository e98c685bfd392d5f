import { InvalidArgumentError } from 'commander';
import type { Scope } from '../../../shared/endpoints.ts';
import {
  type ApiKeyType,
  apiKeyPrefix,
  apiKeyScopes,
  apiKeyTypes,
  lifetimeDays,
} from '../../../shared/organization/api-key.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import { CommandError } from '../context.ts';

/** An API key that a command line names. */
export interface NamedKey {
  organization: number;
  key: string;
}

export const unknownKeyError = ({ organization, key }: NamedKey) =>
  new CommandError(
    `Organization ${organization} has no API key with the ID ${key}: find the ID with key list.`,
  );

export function parseScopes(text: string): Scope[] {
  return text.split(',').map((part) => {
    const name = part.trim();
    const scope = apiKeyScopes.find((known) => known === name);
    if (scope) return scope;
    const near = nearestName(name, apiKeyScopes);
    throw new InvalidArgumentError(
      near
        ? `Did you mean ${near}?`
        : `It must be one or more of ${apiKeyScopes.join(', ')}, separated by commas.`,
    );
  });
}

const labelMaxChars = 200;

export function parseLabel(text: string): string {
  const label = text.trim();
  const chars = [...label].length;
  if (chars === 0 || chars > labelMaxChars || !label.isWellFormed()) {
    throw new InvalidArgumentError(`It must have 1 to ${labelMaxChars} characters.`);
  }
  return label;
}

/** Any text may be looked up, except a whole key: typing keys into a shell's history must not become a habit. */
export function parseKeyId(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a key ID, as printed by key list.');
  if (text.startsWith(apiKeyPrefix)) {
    throw new InvalidArgumentError(
      "It must be the key's ID, which is the ten characters after the prefix, not the key itself.",
    );
  }
  return text;
}

/** Each type with how long its keys are valid, for help: `730 days for website-form, 90 for application`. */
export const lifetimeText = apiKeyTypes
  .map((type, index) => `${lifetimeDays[type]} ${index === 0 ? 'days ' : ''}for ${type}`)
  .join(', ');

/** Parses `30d`. @returns days */
export function parseDays(text: string): number {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days === undefined)
    throw new InvalidArgumentError('It must be a number of days, such as 30d.');
  return Number(days);
}

/** When a key that is valid for so many days expires (ISO 8601); `tooLong` if its type allows only fewer days. */
export function expiryAfter(days: number, type: ApiKeyType, now: Date): string | 'tooLong' {
  return days < lifetimeDays[type]
    ? new Date(now.getTime() + days * 86_400_000).toISOString()
    : 'tooLong';
}
