import { type Access, type EndpointName, endpointNamed } from '../../shared/endpoints.ts';
import { partitionKeyPrefixes } from '../../shared/store/table/table-definition.ts';
import type { HttpReply } from './http-call.ts';

/**
 * The next thing to look at after a reply that is not the expected one.
 * @param endpoint whose function should have answered; undefined when the gateway should have
 */
export function nextFor(reply: HttpReply, endpoint?: EndpointName): string {
  const isGatewayBody = isMessageOnly(reply.json);
  if (isGatewayBody || (reply.status >= 400 && reply.json === undefined)) return gatewayNext(reply);
  if (reply.status >= 500 && endpoint) return functionNext(reply, endpoint);
  return (
    nextByStatus[reply.status] ??
    'Compare the base URL and the deployed version with this checkout.'
  );
}

const nextByStatus: Readonly<Record<number, string>> = {
  401: 'The service does not know the key. Its functions use another table or region than this command (LEADS_TABLE of the function, TableName of the stack).',
  403: 'Does the firewall or a policy of the API refuse this caller? See WAF and the resource policy of the API.',
  404: 'Is the base URL right, with the stage (…/live) or the custom domain? Is the method deployed?',
  409: 'Another request changed the same lead: run the command again.',
  429: 'The limit of the API or of the deployment is reached: wait for the seconds in Retry-After, or compare requestsPerOrganizationPerHour with the requests of --write (72 with a key).',
  503: 'The settings of the temporary organization were not applied: check the table that the service uses.',
};

/** API Gateway's own body, before a template replaces it. */
const isMessageOnly = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && 'message' in json && !('error' in json);

function gatewayNext({ status }: HttpReply): string {
  const setUp =
    "The gateway's own responses are not the contract's: deploy again, so that the API has the responses of infra/gateway/responses.ts";
  if (status === 403)
    return `${setUp}. If the API has a custom domain, its execute-api address answers 403: use the domain. A firewall or a proxy may answer, too.`;
  if (status >= 500)
    return `${setUp}. The function crashed, ran out of time or may not be invoked: see its log, and the permission of the API to invoke it.`;
  return `${setUp}, and check that no proxy in front of it answers instead.`;
}

function functionNext({ headers }: HttpReply, name: EndpointName): string {
  const requestId = headers['x-request-id'];
  const { method, path, access } = endpointNamed(name);
  const find = `Find ${requestId === undefined ? 'the failure' : `the request ID ${String(requestId)}`} in the log of the function of ${method} ${path}`;
  return (
    `${find}. AccessDeniedException: its role lacks an action (admission: UpdateItem on KEY# and USAGE#, GetItem on ORG#; ` +
    `its own: ${accessText(access)}) or the encryption key. ResourceNotFoundException: its LEADS_TABLE names no table of the region. ` +
    'ValidationException: the table lacks an index.'
  );
}

/** `PutItem on LEADS#, PHONE#`, as the role has it. */
export const accessText = (access: Access): string =>
  Object.entries(access)
    .map(
      ([action, types]) =>
        `${action} on ${types.map((type) => partitionKeyPrefixes[type]).join(', ')}`,
    )
    .join('; ') || 'none';
