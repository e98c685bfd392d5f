import { STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';

export interface SignedRequest {
  readonly region: string;
  /** The service in its host name and in the signature, such as `ssm`. */
  readonly service: string;
  /** A JSON operation, such as `AmazonSSM.GetParameter`, with its input; else GET of `path`. */
  readonly operation?: readonly [target: string, input: Readonly<Record<string, unknown>>];
  /** @default '/' */
  readonly path?: string;
}

/** AWS refused the request. `name` is the code of AWS, such as `AccessDeniedException`. */
export class AwsRefusalError extends Error {
  constructor(code: string, message: string) {
    super(message);
    this.name = code;
  }
}

/**
 * Sends one read request to a service of AWS of which a deployment reads a single value. The SDK's clients for SSM, KMS and API Gateway
 * would add 34 MB to every installation for that.
 * @throws AwsRefusalError when AWS refuses it
 */
export async function signedRequest({
  region,
  service,
  operation,
  path = '/',
}: SignedRequest): Promise<Readonly<Record<string, unknown>>> {
  const { credentials, sha256 } = new STSClient({ region }).config;
  const url = new URL(path, endpointOf(service, region));
  const signer = new SignatureV4({ region, service, credentials, sha256 });
  const { method, headers, body } = await signer.sign({
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    method: operation ? 'POST' : 'GET',
    headers: {
      host: url.host,
      accept: 'application/json',
      ...(operation && {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': operation[0],
      }),
    },
    ...(operation && { body: JSON.stringify(operation[1]) }),
  });
  const { host: _, ...sent } = headers;
  const response = await fetch(url, {
    method,
    headers: sent,
    body,
    signal: AbortSignal.timeout(10_000),
  });
  const reply = (await response.json()) as Readonly<Record<string, unknown>>;
  if (response.ok) return reply;
  const code = String(reply.__type ?? response.headers.get('x-amzn-errortype') ?? response.status);
  throw new AwsRefusalError(
    code.replace(/^.*#|:.*$/g, ''),
    String(reply.message ?? reply.Message ?? ''),
  );
}

function endpointOf(service: string, region: string): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return process.env.AWS_ENDPOINT_URL ?? `https://${service}.${region}.${suffix}`;
}
