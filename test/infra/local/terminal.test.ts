import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { requestLines } from '../../../infra/local/terminal.ts';

/** What is printed of these chunks of the functions' output. */
async function printed(...chunks: string[]): Promise<string> {
  const output = new PassThrough();
  const lines = requestLines(output);
  for (const chunk of chunks) lines.write(Buffer.from(chunk));
  lines.end();
  await finished(lines);
  return String(output.read() ?? '');
}
const answered = (fields: object): string =>
  `${JSON.stringify({ message: 'answered', requestId: 'r-1', ms: 6, keyId: 'k', ...fields })}\n`;

test('a request is a short line: method, path, status, refused fields, milliseconds and request ID', async () => {
  const lines = [
    answered({
      endpoint: 'capture-lead',
      status: 422,
      code: 'VALIDATION_FAILED',
      fields: ['phone', 'intake'],
    }),
    answered({ endpoint: 'get-lead', status: 404, code: 'NOT_FOUND' }),
    answered({ endpoint: 'list-leads', status: 200 }),
  ];

  expect((await printed(...lines)).split('\n')).toEqual([
    'POST capture 422 phone, intake 6 ms  r-1',
    'GET leads/{leadId} 404 NOT_FOUND 6 ms  r-1',
    'GET leads 200 6 ms  r-1',
    '',
  ]);
});

test('a line that arrives in parts is one line', async () => {
  const line = answered({ endpoint: 'list-leads', status: 200 });
  expect(await printed(line.slice(0, 20), line.slice(20))).toBe('GET leads 200 6 ms  r-1\n');
});

test.each(['{"message":"failed","error":{"stack":"x"}}', 'plain text', '{"message":', '5'])(
  'any other line stays as it is: %s',
  async (line) => expect(await printed(`${line}\n`)).toBe(`${line}\n`),
);
