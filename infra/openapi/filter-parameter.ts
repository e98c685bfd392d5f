import { keysOf } from '../../shared/base/maps.ts';
import { limits } from '../../shared/contract/limits.ts';
import { operators, type Takes } from '../../shared/leads/field-types.ts';
import type { Json } from './json-schema.ts';

/** The parameter `filter` (contract, section 4.1), described from the operators that the service itself applies. */

const value = { $ref: '#/components/schemas/FilterValue' };

/** The kinds of operands, with their wording in the list of operators and their properties in a filter. */
const operands: Readonly<Record<Takes, { readonly wording: string; readonly properties: Json }>> = {
  nothing: { wording: 'nothing', properties: {} },
  value: { wording: '`value`', properties: { value } },
  'two values': {
    wording: '`values` with two items',
    properties: { values: { type: 'array', items: value, minItems: 2, maxItems: 2 } },
  },
  values: {
    wording: '`values` with one or more items',
    properties: { values: { type: 'array', items: value, minItems: 1 } },
  },
};

const ofAllTypes = Object.values(operators).flatMap((ofType) => Object.entries(ofType));

function filterSchema(takes: Takes): Json {
  const { properties } = operands[takes];
  const ofTakes = ofAllTypes.filter(([, one]) => one.takes === takes).map(([name]) => name);
  return {
    title: `A filter whose operator takes ${takes}`,
    type: 'object',
    properties: {
      field: { type: 'string', description: 'A field key.' },
      operator: { type: 'string', enum: [...new Set(ofTakes)] },
      ...properties,
    },
    required: ['field', 'operator', ...Object.keys(properties)],
    additionalProperties: false,
  };
}

/** The schemas of a filter and of the value that it compares with. */
export const filterComponents: Readonly<Record<string, Json>> = {
  LeadFilter: {
    description: 'A condition on one field. The valid operators depend on the type of the field.',
    oneOf: keysOf(operands).map(filterSchema),
  },
  FilterValue: {
    description:
      'A string, a number, a date as `YYYY-MM-DD`, the value of an option, or the ID of a source or a user.',
    anyOf: [{ type: 'string' }, { type: 'number' }], // some generators cannot read a list of types
  },
};

/** The contract's list of operators in Markdown: a line for each field type and kind of operand. Types with equal lines share one. */
function operatorTable(): string {
  const lines = Object.entries(operators).flatMap(([type, ofType]) =>
    [...Map.groupBy(Object.entries(ofType), ([, { takes }]) => takes)].map(([takes, same]) => {
      const names = same.map(([operator]) => `\`${operator}\``).join(', ');
      return { type, rest: `${names} | ${operands[takes].wording}` };
    }),
  );
  const body = [...Map.groupBy(lines, ({ rest }) => rest)].map(
    ([rest, same]) => `| ${same.map(({ type }) => type).join(', ')} | ${rest} |`,
  );
  return ['| Field type | Operators | Takes |', '|---|---|---|', ...body].join('\n');
}

const example =
  '[{"field":"city","operator":"contains","value":"pune"},{"field":"intake","operator":"between","values":["2026-07-01","2026-09-30"]}]';

/** The parameter's description and schema: a string that contains JSON. Few generators support a parameter with `content`. */
export const filterParameter: Json = {
  description: `A JSON array of field filters, percent-encoded: at most ${limits.filterMaxChars} characters and ${limits.filtersMax} filters, all of which must match.

A filter names a \`field\` by its key, an \`operator\`, and either \`value\` or \`values\`, depending on the operator. Strings are compared ignoring case.

Example: \`${example}\`

${operatorTable()}`,
  schema: {
    type: 'string',
    maxLength: limits.filterMaxChars,
    contentMediaType: 'application/json',
    contentSchema: {
      type: 'array',
      items: { $ref: '#/components/schemas/LeadFilter' },
      maxItems: limits.filtersMax,
    },
  },
  example,
};
