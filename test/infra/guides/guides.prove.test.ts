import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCode } from '../../../infra/cli/error-code.ts';
import {
  freePort,
  node24,
  projectFolder,
  type ServiceProcess,
  startProgram,
  startServiceProcess,
} from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

const guides = ['ten-minutes', 'web-developer', 'data-engineer', 'administrator'];
/** Their `sh` blocks run in a shell as a reader would run them, one page after the other: each begins with what the first one made. */
const pages = [...guides.map((guide) => `infra/guides/${guide}.md`), 'infra/OPERATE.md'];

let service: ServiceProcess;
const shells: ChildProcess[] = [];

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // every process of the group has ended
  }
}

beforeAll(async () => {
  service = await startServiceProcess();
}, 180_000);
afterAll(async () => {
  shells.forEach(endGroup);
  await service?.end();
});

const blocksOf = async (path: string): Promise<string> => {
  const page = await readFile(join(projectFolder, path), 'utf8');
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
};

/**
 * What stands for the reader's machine: the commands without npm's own half second, and lists that are read again until the form server
 * has sent its enquiry.
 */
const machine = `
set -euo pipefail
npx() { shift; "${node24}" "$@"; }
npm() {
  shift 4
  for attempt in $(seq 100); do
    local lines; lines=$("${node24}" infra/admin/main.ts "$@")
    if [[ "$*" != 'lead list'* || "$lines" == *'Asha Rao'* ]]; then break; fi
    sleep 0.2
  done
  printf '%s\\n' "$lines"
}
`;

/** @returns the status, and what was printed on stdout and stderr */
async function runScript(script: string): Promise<{ status: number | null; output: string }> {
  const { child, printed, ended } = startProgram('bash', ['-c', `exec 2>&1\n${script}`], {
    env: {
      PATH: process.env.PATH,
      ...service.ready.environment,
      // Compiled once for all commands: halves their processor time.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? files.path('compiled'),
    },
    // A process group of its own, which ends with the script: the form server runs in its background.
    detached: true,
  });
  shells.push(child);
  const [status] = await once(child, 'exit');
  endGroup(child);
  await ended;
  return { status, output: printed.stdout };
}

test('every command of the guides works, from nothing to a live form and to each reader’s work', async () => {
  const blocks = await Promise.all(pages.map(blocksOf));
  const script = blocks
    .map((block, index) => `echo "=== ${pages[index]}"\n${block}`)
    .join('\n')
    .replaceAll(/(?<![\w-])(\.\/)?academy/g, files.path('academy'))
    .replaceAll('http://127.0.0.1:4010', service.ready.baseUrl)
    .replaceAll('3000', String(await freePort()));

  const { status, output } = await runScript(`${machine}\n${script}`);

  expect({ status, output }).toEqual({ status: 0, output: expect.any(String) });
  const printed = Object.fromEntries(
    output
      .split('=== ')
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part]),
  );
  expect(printed['infra/guides/ten-minutes.md']).toMatch(
    /Organization 2 \(Northwind Academy\) is created, version 1/,
  );
  expect(printed['infra/guides/ten-minutes.md']).toMatch(/Asha Rao[\s\S]*Please call after six\./);
  expect(printed['infra/guides/web-developer.md']).toMatch(/"created":true/);
  expect(printed['infra/guides/data-engineer.md']).toMatch(
    /"nextCursor":null[\s\S]*Which courses start in May\?/,
  );
  expect(printed['infra/guides/administrator.md']).toMatch(
    /users\[id=1\]\.name changed: from "First user" to "Asha Rao"/,
  );
  expect(printed['infra/guides/administrator.md']).toMatch(
    /has the settings of version 1 again, as version 3/,
  );
  expect(printed['infra/OPERATE.md']).toMatch(/No violations/);
}, 300_000);

test('every guide is in the README', async () => {
  const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');

  for (const guide of [...guides, 'integrator', 'engineer'])
    expect(readme).toContain(`infra/guides/${guide}.md`);
});
