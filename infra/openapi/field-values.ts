import type { FieldReason } from '../../shared/contract/types.ts';
import type { RawValue } from '../../shared/leads/field-values.ts';
import type { FieldType } from '../../shared/organization/field-kinds.ts';

/** What a request may send for a field of each type. A test reads every example by the rules of the service. */
export interface FieldValueRow {
  readonly reads: string;
  readonly accepted: readonly RawValue[];
  readonly refused: readonly (readonly [value: RawValue, reason: FieldReason])[];
}

export const fieldValueRows: Readonly<Record<FieldType, FieldValueRow>> = {
  text: {
    reads: 'a string, without the blanks around it',
    accepted: ['Pune'],
    refused: [[5, 'wrong_type']],
  },
  textarea: { reads: 'a string, as it is', accepted: ['two\nlines'], refused: [[5, 'wrong_type']] },
  number: {
    reads: 'a number, or its text with commas between thousands',
    accepted: [4, '4', '1,200', '12.5'],
    refused: [
      ['2,5', 'invalid_number'],
      ['four', 'invalid_number'],
    ],
  },
  date: {
    reads: 'a date that exists, as YYYY-MM-DD',
    accepted: ['2027-08-01'],
    refused: [
      ['01/08/2027', 'invalid_date'],
      ['2027-02-30', 'invalid_date'],
    ],
  },
  phone: {
    reads:
      'a phone number with its country code; one without must be an Indian number. Labels, and decimals of a spreadsheet, are dropped',
    accepted: ['+49 30 901820', '098220 12345', 'tel:+919822012345', '9822012345.0'],
    refused: [
      ['98220 1234', 'invalid_phone'],
      ['98220 12345 / 46', 'invalid_phone'],
    ],
  },
  email: {
    reads: 'a string, without the blanks around it',
    accepted: ['asha@example.com'],
    refused: [['asha at example.com', 'invalid_email']],
  },
  url: {
    reads: 'a string, without the blanks around it',
    accepted: ['https://example.com/asha'],
    refused: [['example.com', 'invalid_url']],
  },
  select: {
    reads: "an option's value or label, in upper or lower case",
    accepted: ['mba', 'MBA'],
    refused: [['law', 'unknown_option']],
  },
  multiselect: {
    reads: 'a list of values or labels of options, or one text with commas between them',
    accepted: [['ca', 'Germany'], 'ca,de'],
    refused: [[['ca', 'es'], 'unknown_option']],
  },
  checkbox: {
    reads: 'true or false, or a text as forms send it',
    accepted: [true, 'yes', 'on', '1', 'checked', false, 'no', 'off', '0'],
    refused: [['perhaps', 'invalid_checkbox']],
  },
  lead_source: {
    reads: 'the ID of an active source',
    accepted: [3, '3'],
    refused: [['Website', 'source_not_found']],
  },
  user: {
    reads: 'the ID of an active user',
    accepted: [1, '1'],
    refused: [['Asha Rao', 'user_not_found']],
  },
};

const code = (value: RawValue): string => `\`${JSON.stringify(value)}\``;

/** The rows as a table in Markdown. */
export const fieldValueTable = [
  '| Field type | Is read | Examples | Refused, with the reason |',
  '|---|---|---|---|',
  ...Object.entries(fieldValueRows).map(([type, { reads, accepted, refused }]) => {
    const refusals = refused.map(([value, reason]) => `${code(value)} \`${reason}\``).join(', ');
    return `| ${type} | ${reads} | ${accepted.map(code).join(', ')} | ${refusals} |`;
  }),
].join('\n');
