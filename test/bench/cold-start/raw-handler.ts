import { createHash, createHmac } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { CallLevels } from './bare-handler.ts';

/**
 * A handler that signs and sends the same requests as a function, without the SDK: what the SDK's client costs is what the bare handler
 * takes beyond it. No retry, no time-out, no type of an error. The calls come through the environment as they were sent.
 */
const levels = JSON.parse(process.env.BENCH_SENT_CALLS ?? '[]') as CallLevels;
const {
  AWS_ENDPOINT_URL_DYNAMODB: endpoint = '',
  AWS_REGION: region = 'us-east-1',
  AWS_ACCESS_KEY_ID: accessKeyId = '',
  AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
} = process.env;
const { host, hostname, port } = new URL(endpoint);
const agent = new Agent({ keepAlive: true });

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let signingKey: { readonly day: string; readonly key: Buffer } | undefined;
function keyOf(day: string): Buffer {
  if (signingKey?.day !== day) {
    const parts = [day, region, 'dynamodb', 'aws4_request'];
    const key = parts.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
    signingKey = { day, key: Buffer.from(key) };
  }
  return signingKey.key;
}

/** Signature version 4 of a POST to `/` (AWS: Create a signed AWS API request). */
function signedHeaders(operation: string, body: string): Record<string, string> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const target = `DynamoDB_20120810.${operation}`;
  const names = 'host;x-amz-date;x-amz-target';
  const canonical = `POST\n/\n\nhost:${host}\nx-amz-date:${time}\nx-amz-target:${target}\n\n${names}\n${sha256(body)}`;
  const scope = `${day}/${region}/dynamodb/aws4_request`;
  const signature = hmac(keyOf(day), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`);
  return {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-date': time,
    'x-amz-target': target,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature.toString('hex')}`,
  };
}

async function send(operation: string, input: object): Promise<unknown> {
  const body = JSON.stringify(input);
  const headers = signedHeaders(operation, body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ agent, hostname, port, method: 'POST', path: '/', headers }, resolve)
      .once('error', reject)
      .end(body);
  });
  return json(response);
}

export const handler = async () => {
  for (const level of levels)
    await Promise.all(level.map(({ operation, input }) => send(operation, input)));
  return { statusCode: 200, headers: {}, body: '' };
};
