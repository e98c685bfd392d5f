import type { endpoints } from '../../shared/endpoints.ts';

/** The address of `npm start`. */
export const localBaseUrl = 'http://127.0.0.1:4010';

/** A command that runs as it is pasted, once `API_KEY` is set: it sends the operation's first example, about the organization's first lead. */
export function curlSample(
  { method, path }: Pick<(typeof endpoints)[number], 'method' | 'path'>,
  body: unknown,
): string {
  const text = JSON.stringify(body)?.replaceAll("'", "'\\''");
  return [
    `curl -i ${method === 'PATCH' ? '-X PATCH ' : ''}${localBaseUrl}${path.replace('{leadId}', '1')}`,
    '  -H "Authorization: Bearer $API_KEY"',
    ...(text === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d '${text}'`]),
  ].join(' \\\n');
}
