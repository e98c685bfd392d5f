import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { clientFolder, generatedFiles } from '../../../../infra/openapi/client/generate.ts';
import { typeText } from '../../../../infra/openapi/client/type-text.ts';

test('the client’s generated files are what the endpoints and their schemas give; `npm run openapi` writes them', async () => {
  const files = [...(await generatedFiles())];

  expect(files.map(([file]) => relative(clientFolder, file))).toEqual([
    'api-types.ts',
    'api-errors.ts',
    'api-operations.ts',
  ]);
  for (const [file, text] of files) expect(await readFile(file, 'utf8'), file).toBe(text);
});

test('a schema that no rule covers is an error, and never the type unknown', () => {
  expect(() => typeText({ type: 'file' }, 'request')).toThrow(/No TypeScript type is known/);
  expect(() => typeText({}, 'response')).toThrow(/No TypeScript type is known/);
});

test('an optional property of a request may be undefined, and one of a response may not', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };

  expect(typeText(schema, 'request')).toBe('{\nreadonly a?: number | undefined;\n}');
  expect(typeText(schema, 'response')).toBe('{\nreadonly a?: number;\n}');
});
