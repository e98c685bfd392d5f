import { expect } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { type CallOptions, call } from '../support/call.ts';
import type { OrganizationWithLead } from '../support/leads.ts';

interface RefusedRequest {
  readonly organization: OrganizationWithLead;
  readonly name: EndpointName;
  readonly request: CallOptions;
}

/** The request answers this error in the contract's shape and changes nothing. */
export async function expectRefusal(
  { organization, name, request }: RefusedRequest,
  status: number,
  code: string,
): Promise<void> {
  const answer = await call(name, { apiKey: organization.writer, ...request });

  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(
    Object.keys(answer.body.error).filter(
      (property) => !['code', 'message', 'details'].includes(property),
    ),
  ).toEqual([]);
  expect(answer.body.error.message).toMatch(/^\S.*\.$/);
  expect(answer.headers.get('content-type')).toBe('application/json');
  await organization.expectUntouched();
}
