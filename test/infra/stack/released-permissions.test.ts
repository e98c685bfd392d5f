import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { LeadTable } from '../../../infra/stack/lead-table.ts';
import {
  permissionIssues,
  permissionsOfRelease,
  releasedPermissions,
} from '../../../infra/stack/released-permissions.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { type Endpoint, endpointNamed, endpoints } from '../../../shared/endpoints.ts';

test('every permission that the last release needs is still granted: its code runs with the new roles during a release', () => {
  expect(permissionIssues(endpoints, releasedPermissions())).toEqual([]);
});

test('the permissions of the last release are those of the version in package.json: npm run permissions writes them', () => {
  expect(releasedPermissions().release).toBe(manifest.version);
  expect(Object.keys(releasedPermissions().permissions)).not.toHaveLength(0);
});

describe('a permission that a release no longer needs', () => {
  const released = permissionsOfRelease('7.0.0');
  const row = endpointNamed('list-leads');
  const { BatchGetItem, ...others } = row.access;
  /** Of one permission, because the rows may keep others until the next release. */
  const issuesAbout = (permission: string, ...args: Parameters<typeof permissionIssues>) =>
    permissionIssues(...args).filter((issue) => issue.includes(`"${permission}"`));
  const now: Endpoint = { ...row, access: { ...others, GetItem: ['lead'] } };

  test('is missed if it was taken from the row at once, with what to do', () => {
    expect(issuesAbout('BatchGetItem lead', [now], released)).toEqual([
      'list-leads: "BatchGetItem lead": release 7.0.0 still needs it while this one is deployed, and after a rollback. Move it to accessUntilNextRelease (of admission: admissionUntilNextRelease) in shared/endpoints.ts, and remove it one release later.',
    ]);
  });

  test('is not missed in accessUntilNextRelease, and the role has it', () => {
    const kept: Endpoint = { ...now, accessUntilNextRelease: { BatchGetItem: BatchGetItem ?? [] } };

    expect(issuesAbout('BatchGetItem lead', [kept], released)).toEqual([]);
    expect(actionsOf(kept)).toContain('dynamodb:BatchGetItem');
    expect(actionsOf(now)).not.toContain('dynamodb:BatchGetItem');
  });

  test('must leave accessUntilNextRelease after the next release', () => {
    const kept: Endpoint = { ...now, accessUntilNextRelease: { BatchGetItem: BatchGetItem ?? [] } };
    const next = { ...released, permissions: { 'list-leads': ['Query lead'] } };

    expect(issuesAbout('BatchGetItem lead', [kept], next)).toEqual([
      expect.stringMatching(
        /^list-leads: "BatchGetItem lead" until the next release: .* Remove it/,
      ),
    ]);
  });

  test('is missed if it was an attribute that admission updates', () => {
    const before = {
      ...released,
      permissions: { 'get-lead': ['UpdateItem apiKey naming seenAt'] },
    };

    expect(
      issuesAbout('UpdateItem apiKey naming seenAt', [endpointNamed('get-lead')], before),
    ).toEqual([
      expect.stringMatching(/^get-lead: "UpdateItem apiKey naming seenAt": release 7\.0\.0/),
    ]);
  });
});

function actionsOf(endpoint: Endpoint): string[] {
  const stack = new Stack(new App(), 'Stack');
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  new LeadTable(stack, 'Table').grantTo(role, endpoint);
  const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  return policies.flatMap(({ Properties }) =>
    (Properties.PolicyDocument.Statement as { Action: string }[]).map(({ Action }) => Action),
  );
}
