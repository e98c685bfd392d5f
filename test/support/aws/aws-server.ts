import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../../infra/cli/listen.ts';

export type AwsReply = readonly [status: number, body: string];

export interface AwsRequest {
  /**
   * For a form, its action, and the stack or table that it names (`DescribeStacks leads`); the operation of a JSON request
   * (`DescribeTable`); of others the method and the path.
   */
  readonly name: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Stands in for services of AWS, at the address to which the variables `AWS_ENDPOINT_URL…` point the SDK. */
export async function startAwsServer(replyTo: (request: AwsRequest) => AwsReply) {
  const server = createServer(async (request, response) => {
    const { headers, method, url } = request;
    const body = await text(request);
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const operation = String(headers['x-amz-target'] ?? '').split('.')[1];
    const name = isForm ? nameOfForm(body) : (operation ?? `${method} ${url}`);
    const [status, reply] = replyTo({ name, headers, body });
    const type = reply.startsWith('<') ? 'text/xml' : 'application/json';
    response.writeHead(status, { 'Content-Type': type }).end(reply);
  });
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`;
  return { endpoint, close: () => void server.close() };
}

function nameOfForm(body: string): string {
  const form = new URLSearchParams(body);
  const [action, stack, resource] = ['Action', 'StackName', 'PhysicalResourceId'].map((name) =>
    form.get(name),
  );
  return [action, stack ?? resource].filter(Boolean).join(' ');
}

export const json = (value: unknown): AwsReply => [200, JSON.stringify(value)];
export const jsonRefusal = (code: string, status = 400): AwsReply => [
  status,
  JSON.stringify({ __type: `com.amazonaws#${code}`, message: 'not authorized' }),
];

/** An error as the services of XML return it. */
export const refusal = (code: string, message: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`;

export const stackXml = (
  name: string,
  status: string,
  outputs: Iterable<readonly [name: string, value: string]>,
): string => {
  const members = [...outputs].map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<member><StackName>${name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs></member>`;
};

export const stacksXml = (...stacks: readonly string[]): AwsReply => [
  200,
  `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stacks.join('')}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
];

export const noStack = (name: string): AwsReply => [
  400,
  refusal('ValidationError', `Stack with id ${name} does not exist`),
];
