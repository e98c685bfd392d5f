import { expect, test } from 'vitest';
import { loggedNames, refusedFields } from '../../../shared/middleware/respond.ts';
import { document } from '../../support/described.ts';
import { sampleOrganization } from '../../support/settings.ts';

const organization = sampleOrganization();
const details = (...names: string[]) => ({
  reasons: Object.fromEntries(names.map((name) => [name, 'required'])),
});

test('field keys of the organization and properties are named, what a caller made up is not', () => {
  const sent = details('phone', 'course', 'Asha Rao 98220', 'attribution.Asha', 'constructor');

  expect(refusedFields(sent, organization)).toEqual(['phone', 'course', 'attribution']);
});

test('before the organization is known only properties are named', () =>
  expect(refusedFields(details('phone', 'course'), undefined)).toEqual(['phone']));

test('an error without reasons names nothing', () => {
  expect(refusedFields(undefined, organization)).toEqual([]);
  expect(refusedFields({ leadId: 5, field: 'phone' }, organization)).toEqual([]);
});

test('every property of a request body may be named', () => {
  const schemas = document.components.schemas as Record<string, { properties?: object }>;
  const bodies = ['CaptureRequest', 'CreateLeadRequest', 'UpdateLeadRequest', 'NewNote'];
  const properties = bodies.flatMap((name) => Object.keys(schemas[name]?.properties ?? {}));

  expect(properties.filter((name) => !loggedNames.has(name))).toEqual([]);
});
