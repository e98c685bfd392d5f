import { service } from '../support/service.ts';
import { type RawRequest, sendRaw } from './raw-request.ts';

/** Sends a request to the service as bytes. */
export async function send(
  request: Partial<RawRequest>,
): Promise<{ status: number; code: string | undefined; body: Record<string, unknown> }> {
  const { status, text } = await sendRaw(service().baseUrl, {
    method: 'GET',
    target: '/api/v1/users',
    headers: [],
    ...request,
  });
  const body = JSON.parse(text) as Record<string, unknown>;
  return { status, code: (body.error as { code?: string } | undefined)?.code, body };
}
