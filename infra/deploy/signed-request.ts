import { STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';

/** A JSON operation with its input. */
export interface SignedRequest {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Sends one read request to a service of AWS of which a deployment reads a single value, signed by the SDK's signer: the SDK's client for
 * KMS would add megabytes to every installation.
 * @param service its name in its host and in the signature, such as `kms`
 * @throws Error named by AWS's code, such as `AccessDeniedException`
 */
export async function signedRequest(
  region: string,
  service: string,
  { operation, input }: SignedRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { credentials, sha256 } = new STSClient({ region }).config;
  const signer = new SignatureV4({ region, service, credentials, sha256 });
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = process.env.AWS_ENDPOINT_URL ?? `https://${service}.${region}.${suffix}`;
  const { protocol, host, hostname } = new URL(endpoint);
  const asJson = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': operation };
  const { method, headers, body } = await signer.sign({
    ...{ protocol, hostname, path: '/', method: 'POST' },
    headers: { host, accept: 'application/json', ...asJson },
    body: JSON.stringify(input),
  });
  const { host: _, ...sent } = headers;
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(endpoint, { method, headers: sent, body, signal });
  const reply: Readonly<Record<string, unknown>> = Object(await response.json());
  if (response.ok) return reply;
  const code = String(reply.__type ?? response.headers.get('x-amzn-errortype') ?? response.status);
  const error = new Error(String(reply.message ?? reply.Message ?? ''));
  error.name = code.replace(/^.*#|:.*$/g, '');
  throw error;
}
