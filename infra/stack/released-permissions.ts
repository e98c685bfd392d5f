import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, endpoints } from '../../shared/endpoints.ts';
import {
  accessUntilNextRelease,
  grantedAccess,
  permissionsOf,
  usedAccess,
} from './endpoint-access.ts';

/** What the code of the last release needs of the table. `npm run permissions` writes it, as a part of a release. */
export interface ReleasedPermissions {
  readonly release: string;
  /** By endpoint. */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
}

const file = join(import.meta.dirname, 'released-permissions.json');
export const releasedPermissions = (): ReleasedPermissions =>
  JSON.parse(readFileSync(file, 'utf8'));

export const permissionsOfRelease = (release: string): ReleasedPermissions => ({
  release,
  permissions: Object.fromEntries(
    endpoints.map((endpoint) => [endpoint.name, permissionsOf(usedAccess(endpoint))]),
  ),
});

/**
 * The permissions that the last release needs and today's roles no longer give, or that they give for it without need. Roles change before
 * the code: without such a permission, the last release's functions fail until the release is complete, and after a rollback.
 */
export function permissionIssues(
  rows: readonly Endpoint[],
  { release, permissions }: ReleasedPermissions,
): string[] {
  return rows.flatMap((endpoint) => {
    const released = permissions[endpoint.name] ?? [];
    const granted = permissionsOf(grantedAccess(endpoint));
    const used = permissionsOf(usedAccess(endpoint));
    const taken = released
      .filter((permission) => !granted.includes(permission))
      .map(
        (permission) =>
          `${endpoint.name}: "${permission}": release ${release} still needs it while this one is deployed, and after a rollback. Move it to accessUntilNextRelease (of admission: admissionUntilNextRelease) in shared/endpoints.ts, and remove it one release later.`,
      );
    const idle = permissionsOf(accessUntilNextRelease(endpoint))
      .filter((permission) => used.includes(permission) || !released.includes(permission))
      .map(
        (permission) =>
          `${endpoint.name}: "${permission}" until the next release: release ${release} does not need it, or today's code does. Remove it there.`,
      );
    return [...taken, ...idle];
  });
}

if (import.meta.main) {
  const manifest = join(import.meta.dirname, '..', '..', 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  writeFileSync(file, `${JSON.stringify(permissionsOfRelease(version), null, 2)}\n`);
  console.log(`The permissions that release ${version} needs were written.`);
}
