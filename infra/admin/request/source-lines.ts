import { isPlainObject } from '../../../shared/json.ts';
import { distFolder } from '../../bundle/bundle.ts';
import { mappedStack, readSourceMap } from '../../bundle/source-maps.ts';

/** A bundle whose source map is not in this folder. */
export interface MissingMap {
  readonly functionName: string;
  readonly release: string;
}

export interface SourceLines {
  /** The log line, with the stacks of its error in source lines where their map is known. */
  readonly line: unknown;
  readonly missing?: MissingMap;
}

/**
 * Shows the stacks of a failed call's log line in source lines, by the source map of the bundle that wrote it.
 * @param dist the folder of the builds
 */
export async function withSourceLines(
  line: unknown,
  dist: string = distFolder,
): Promise<SourceLines> {
  if (!isPlainObject(line)) return { line };
  const { endpoint: functionName, release, error } = line;
  if (typeof functionName !== 'string' || typeof release !== 'string' || !isPlainObject(error))
    return { line };
  // Both become parts of a path.
  if (!/^[a-z-]+$/.test(functionName) || !/^[0-9a-f]+$/.test(release)) return { line };
  const map = await readSourceMap(dist, functionName, release);
  if (!map) return { line, missing: { functionName, release } };
  return { line: { ...line, error: mapped(error, (stack) => mappedStack(stack, map)) } };
}

/** An error as `shared/log.ts` describes it, with its causes. */
function mapped(
  error: Readonly<Record<string, unknown>>,
  map: (stack: string) => string,
): Record<string, unknown> {
  const { stack, cause } = error;
  return {
    ...error,
    ...(typeof stack === 'string' && { stack: map(stack) }),
    ...(isPlainObject(cause) && { cause: mapped(cause, map) }),
  };
}
