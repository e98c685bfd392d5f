import { expect, test } from 'vitest';
import { readService } from '../lambda/given-service.ts';
import { explorePairs, replayPair } from './pairs.ts';

const name = 'update fields | update stage (one caller)';

test('a lead version that is no longer compared is found, and its script finds it again', {
  timeout: 120_000,
}, async () => {
  const condition = "'#version = :before'";
  const bundles = await readService({
    change: (path, text) =>
      path === 'shared/store/leads/leads.ts'
        ? text.replace(condition, "'#version = :before OR attribute_exists(#version)'")
        : text,
  });
  const limits = { bundles, interruptions: 1, faults: 0 };
  const lines: string[] = [];
  const { violations } = await explorePairs((line) => lines.push(line), {
    ...limits,
    pairs: (one) => one === name,
  });
  expect(violations, lines.join('\n')).toBeGreaterThan(0);

  const found = lines.find((line) => line.includes('Script:')) ?? '';
  const script = found.slice(found.indexOf('Script:') + 'Script:'.length).trim();
  expect(await replayPair(name, script.split(' ').map(Number), limits)).toContain(found);
});
