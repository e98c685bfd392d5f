import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openApiFile } from '../../infra/openapi/document.ts';
import { freePort } from '../support/free-port.ts';
import { projectFolder } from '../support/service-process.ts';
import { installed } from './packages.ts';
import type { PrismExchange } from './prism-setup.ts';

export const prismPackage = '@stoplight/prism-cli@5.16.0';

/** What the service takes and the document does not promise, each with the finding of prism. A test of the contract sends it on purpose. */
const tolerated: Readonly<Record<string, string>> = {
  // The scheme's name in lower case: RFC 9110, section 11.1, ignores its case, prism does not.
  'GET /api/v1/users': 'request: Invalid security scheme used',
  // A time without seconds.
  'GET /api/v1/leads':
    'request.query.updated_since: Request query parameter updated_since must match format "date-time"',
};

/**
 * Runs the contract tests with prism before the service. Prism may find a request wrong only if the service refuses it too, and never a
 * response.
 * @throws Error with the findings, or if a test fails
 */
export async function runContractTestsThroughPrism(
  baseUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'prism-'));
  const exchangesFile = join(folder, 'exchanges.jsonl');
  const port = await freePort();
  const proxy = await startProxy(baseUrl, port);
  try {
    const prismUrl = `http://127.0.0.1:${port}`;
    const variables = { PRISM_URL: prismUrl, PRISM_EXCHANGES_FILE: exchangesFile };
    const tests = spawn(
      process.execPath,
      [
        join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs'),
        ...['run', '--config', 'test/generators/prism.vitest.config.ts', '--reporter=dot'],
      ],
      {
        cwd: projectFolder,
        env: { ...process.env, ...environment, ...variables, VERIFIED_BASE_URL: baseUrl },
        stdio: 'inherit',
      },
    );
    const [status] = await once(tests, 'exit');
    if (status !== 0) throw new Error('The contract tests do not pass through prism.');
    const lines = readFileSync(exchangesFile, 'utf8').trim().split('\n');
    return summaryOf(lines.map((line) => JSON.parse(line) as PrismExchange));
  } finally {
    proxy.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startProxy(baseUrl: string, port: number): Promise<ChildProcess> {
  const prism = join(installed([prismPackage]), 'node_modules', '.bin', 'prism');
  // With prism's limit of a header's size the longest filter does not pass.
  const options = ['--max-http-header-size=131072', prism, 'proxy', openApiFile, baseUrl];
  const proxy = spawn(
    process.execPath,
    [...options, '--cors=false', '--errors=false', '-v', 'fatal', '-p', String(port)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  for (;;) {
    if (proxy.exitCode !== null) throw new Error('Prism does not start.');
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/users`).catch(() => undefined);
    if (response) return proxy;
    await pause(100);
  }
}

/** @throws Error with every finding that is not of a refused request and not tolerated, and with what is tolerated without need */
function summaryOf(exchanges: readonly PrismExchange[]): string {
  const through = exchanges.filter(({ isThrough }) => isThrough);
  const refused = through.filter(({ status, findings }) => status >= 400 && findings.length > 0);
  const wrong = through.flatMap(({ request, status, findings }) =>
    findings
      .filter((finding) => status < 400 || finding.startsWith('response'))
      .map((finding) => ({ request, finding, line: `${request} ${status} ${finding}` })),
  );
  const unexpected = wrong.filter(({ request, finding }) => tolerated[request] !== finding);
  const needless = Object.entries(tolerated).filter(
    ([request, finding]) =>
      !wrong.some((one) => one.request === request && one.finding === finding),
  );
  if (unexpected.length + needless.length > 0)
    throw new Error(
      [
        'Prism finds what it must not:',
        ...unexpected.map(({ line }) => line),
        ...needless.map(([request, finding]) => `${request} is tolerated without need: ${finding}`),
      ].join('\n'),
    );
  return (
    `${through.length} requests of the contract tests, no finding in a response; ` +
    `${refused.length} requests it finds wrong are refused, ${wrong.length} are taken on purpose`
  );
}
