import type { Endpoint } from '../../shared/contract/endpoints.ts';

/** The endpoint of a request, and the values of its path parameters, percent-encoded as sent. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly pathParameters: Record<string, string> | null;
}

/** Finds the endpoint of a method and path; undefined if none matches. */
export type Router = (method: string, path: string) => Route | undefined;

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

/**
 * Routes like API Gateway, segment by segment. A fixed segment takes precedence over a parameter, for any method: `/leads/capture` is never
 * read as a lead ID. A trailing slash is ignored.
 */
export function routerFor(endpoints: readonly Endpoint[]): Router {
  const resources = [...Map.groupBy(endpoints, ({ path }) => path)]
    .map(([path, rows]) => ({ segments: path.split('/'), rows }))
    .sort((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length);

  return (method, path) => {
    const sent = path.replace(/\/$/, '').split('/');
    const resource = resources.find(
      ({ segments }) =>
        segments.length === sent.length &&
        segments.every((segment, at) =>
          isParameter(segment) ? sent[at] !== '' : segment === sent[at],
        ),
    );
    const endpoint = resource?.rows.find((row) => row.method === method);
    if (!resource || !endpoint) return undefined;
    const parameters = resource.segments.flatMap((segment, at) =>
      isParameter(segment) ? [[segment.slice(1, -1), sent[at] ?? '']] : [],
    );
    return {
      endpoint,
      pathParameters: parameters.length > 0 ? Object.fromEntries(parameters) : null,
    };
  };
}
