import { readFileSync } from 'node:fs';
import { afterAll, expect, vi } from 'vitest';

/**
 * Test files of a project share a process and the modules in it. One that replaces modules, or loads them again, loads modules of its
 * own, and leaves them to no other file; so does one about listing, whose modules remember reads and allowances of an organization.
 */
const { testPath = '' } = expect.getState();
if (
  /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(testPath, 'utf8')) ||
  /shared\/store\/listing\//.test(testPath)
) {
  vi.resetModules();
  afterAll(() => {
    vi.resetModules();
  });
}
