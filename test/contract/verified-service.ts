import type { TestProject } from 'vitest/node';
import '../support/service.ts';

/** Global setup: the service that `npm run verify` names, and the table that it uses. */
export default function provideService(project: TestProject): void {
  const { VERIFIED_BASE_URL: baseUrl, ...variables } = process.env;
  if (!baseUrl || !variables.LEADS_TABLE)
    throw new Error('Run these tests with npm run verify -- --contract.');
  const environment = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && (name === 'LEADS_TABLE' || name.startsWith('AWS_'))
        ? [[name, value]]
        : [],
    ),
  );
  project.provide('service', { baseUrl, environment });
}
