import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { node24, projectFolder } from '../../support/service-process.ts';

test('npm run openapi writes nothing if an option is mistyped', async () => {
  const command = join(projectFolder, 'infra/openapi/document.ts');

  await expect(promisify(execFile)(node24, [command, '--chek'])).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining("Unknown option '--chek'"),
  });
});
