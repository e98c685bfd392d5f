import { expect, test } from 'vitest';
import { demo } from '../../../infra/openapi/examples.ts';
import { fieldValueRows } from '../../../infra/openapi/field-values.ts';
import { FieldIssue, parsers, type RawValue } from '../../../shared/leads/field-types.ts';
import type { FieldType } from '../../../shared/organization/field-kinds.ts';

const rows = Object.entries(fieldValueRows) as [FieldType, (typeof fieldValueRows)[FieldType]][];

function read(type: FieldType, value: RawValue): unknown {
  const others = ['lead_type', 'assigned_to'];
  const field = demo.fields.find(({ key, type: own }) => own === type && !others.includes(key));
  return parsers[type](value as Exclude<RawValue, null>, field!, demo);
}

test.each(rows)('the described values of a %s field are read as described', (type, row) => {
  for (const value of row.accepted) expect(read(type, value)).not.toBeInstanceOf(FieldIssue);
  for (const [value, reason] of row.refused) expect(read(type, value)).toMatchObject({ reason });
});
