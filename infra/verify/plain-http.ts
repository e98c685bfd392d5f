import { CheckError } from './check.ts';
import { codeOf, replyText } from './expect-reply.ts';
import { type HttpReply, sendCall } from './http-call.ts';

/** API Gateway does not listen on port 80, or a firewall drops the request. */
const replyWithinMs = 5000;

/**
 * Sends a request over plain HTTP to the host of an https address. No reply, a redirect and a refusal are right; a 401 means that something
 * in front of the API accepted the request and passed it on.
 * @returns what came
 * @throws CheckError
 */
export async function plainHttpReply(baseUrl: string): Promise<string> {
  const { host, pathname } = new URL(baseUrl);
  let reply: HttpReply;
  try {
    const call = { method: 'GET', path: '/api/v1/leads' };
    reply = await sendCall(`http://${host}${pathname}`, call, replyWithinMs);
  } catch {
    return 'no reply: the address does not serve plain HTTP';
  }
  const { status } = reply;
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = codeOf(reply) === 'HTTPS_REQUIRED' || [400, 403, 404].includes(status);
  if (isRedirect || isRefusal) return replyText(reply);
  throw new CheckError(
    `${replyText(reply)}; expected no reply, a redirect to HTTPS, or 403 HTTPS_REQUIRED`,
    'Something in front of the API accepts plain HTTP and passes it on as HTTPS: switch its port 80 off.',
  );
}
