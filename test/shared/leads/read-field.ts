import { expect } from 'vitest';
import {
  FieldIssue,
  isEmptyValue,
  parsers,
  type RawValue,
} from '../../../shared/leads/field-types.ts';
import { sampleOrganization } from '../../support/settings.ts';

export const organization = sampleOrganization();

/** A sent value as the field of the sample organization reads it; the sentence and the reason of a refusal, null for empty. */
export function read(fieldKey: string, raw: RawValue): unknown {
  const field = organization.fieldByKey.get(fieldKey)!;
  if (isEmptyValue(raw, field.type)) return null;
  const value = parsers[field.type](raw, field, organization);
  return value instanceof FieldIssue ? { refused: value.sentence, reason: value.reason } : value;
}

export const refused = (part: string) => ({
  refused: expect.stringContaining(part),
  reason: expect.any(String),
});
