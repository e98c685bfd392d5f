import { Writable } from 'node:stream';
import { endpoints } from '../../shared/endpoints.ts';
import { isPlainObject, parseJson } from '../../shared/json.ts';

/**
 * Turns the functions' log lines into a short line a request, for a terminal: `POST capture 422 phone, intake 6 ms  <request ID>`. Every
 * other line, such as an error with its stack, stays as it is.
 */
export function requestLines(output: NodeJS.WritableStream): Writable {
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _encoding, done) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) output.write(`${shortened(line) ?? line}\n`);
      done();
    },
  });
}

/** The short line of a request; undefined for any other line. */
function shortened(line: string): string | undefined {
  const entry = parseJson(line);
  if (!isPlainObject(entry) || entry.message !== 'answered') return undefined;
  const endpoint = endpoints.find(({ name }) => name === entry.endpoint);
  if (!endpoint) return undefined;
  const path = endpoint.path.replace('/api/v1/', '').replace('leads/capture', 'capture');
  const { status, code, ms, fields, requestId } = entry;
  const names = Array.isArray(fields) ? fields.join(', ') : '';
  const why = names || (code ? String(code) : '');
  return `${endpoint.method} ${path} ${status}${why && ` ${why}`} ${ms} ms  ${requestId}`;
}
