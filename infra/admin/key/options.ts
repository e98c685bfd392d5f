import { InvalidArgumentError } from 'commander';
import { apiKeyPrefix, apiKeyTypes, lifetimeDays } from '../../../shared/organization/api-key.ts';
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
