import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../lambda/bundle-text.ts';
import { bundleService } from '../lambda/given-service.ts';
import { scaleLimits } from './limits.ts';
import { measureRequests } from './measured-request.ts';
import { limitsTable, scaleTable } from './scale-page.ts';
import { traffic } from './traffic.ts';

test('the page of how far the service scales says what the functions use today', {
  timeout: 60_000,
}, async () => {
  const requests = await measureRequests(await bundleService(), traffic);
  const scale = { requests, limits: scaleLimits(requests), proofs: [] };
  const page = await readFile(join(projectFolder, 'test', 'SCALE.md'), 'utf8');

  expect(page).toContain(scaleTable(scale));
  expect(page).toContain(limitsTable(scale));
});
