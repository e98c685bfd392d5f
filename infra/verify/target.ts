import { isLoopback } from '../cli/aws.ts';
import { recordedService } from '../local/running-service.ts';

/** What is wrong with a base URL, as a sentence that follows "It"; undefined if nothing is. */
export function baseUrlIssue(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return 'must be an address that begins with https://, or http:// for a service on this machine.';
  const { protocol, search, hash, username, password, pathname } = new URL(text);
  if (protocol === 'http:' && !isLoopback(text))
    return 'must begin with https://: an API key must not be sent over plain HTTP.';
  if (search || hash || username || password)
    return 'must be an address without a query, a fragment or a password.';
  if (/\/api(\/|$)/.test(pathname)) return 'must be the part of the address before /api/v1.';
  return undefined;
}

/**
 * The variables that reach the table of the local service at an address; undefined if none is recorded there.
 * @param folder the data folder of the local service
 */
export function localVariables(
  baseUrl: string,
  folder: string,
): Readonly<Record<string, string>> | undefined {
  const recorded = recordedService(folder);
  if (!recorded || originOf(recorded.baseUrl) !== originOf(baseUrl)) return undefined;
  return recorded.environment;
}

/** All local addresses with the same port are the same service. */
function originOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  return `${protocol}//${isLoopback(url) ? 'localhost' : hostname}:${port}${pathname}`;
}
