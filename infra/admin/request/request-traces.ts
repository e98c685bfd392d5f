import { parseJson } from '../../../shared/json.ts';

/** What X-Ray has of one request. */
export interface RequestTrace {
  readonly traceId: string;
  /** The segment documents (AWS X-Ray developer guide, "Segment documents"), by time. */
  readonly segments: readonly unknown[];
}

/** A request of `BatchGetTraces` names at most this many (AWS X-Ray API reference). */
const tracesPerRequest = 5;

/**
 * The traces that X-Ray has: none without the option `tracing`, and of the requests that it samples. One request per five IDs.
 * @throws AccessDeniedException of the SDK without `xray:BatchGetTraces`
 */
export async function tracesOf(traceIds: readonly string[]): Promise<RequestTrace[]> {
  if (traceIds.length === 0) return [];
  const { BatchGetTracesCommand, XRayClient } = await import('@aws-sdk/client-xray');
  const client = new XRayClient({});
  try {
    const found: RequestTrace[] = [];
    for (let first = 0; first < traceIds.length; first += tracesPerRequest) {
      const response = await client.send(
        new BatchGetTracesCommand({ TraceIds: traceIds.slice(first, first + tracesPerRequest) }),
      );
      for (const { Id: traceId = '', Segments = [] } of response.Traces ?? [])
        found.push({
          traceId,
          segments: Segments.map(({ Document = '' }) => parseJson(Document) ?? Document).sort(
            (one, other) => startOf(one) - startOf(other),
          ),
        });
    }
    return found;
  } finally {
    client.destroy();
  }
}

const startOf = (segment: unknown): number =>
  Number((segment as { start_time?: unknown } | null)?.start_time ?? 0);
