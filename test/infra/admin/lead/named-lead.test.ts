import { expect, test } from 'vitest';
import { eachLead } from '../../../../infra/admin/lead/named-lead.ts';
import { CommandError } from '../../../../infra/cli/command.ts';

test('a refused lead is named and the next one is changed; any other failure ends the command', async () => {
  const changed: number[] = [];
  const changeEach = (...leadIds: number[]) =>
    eachLead({ progress: () => undefined }, leadIds, async (leadId) => {
      if (leadId === 2) throw new CommandError('There is no lead 2.');
      if (leadId === 4) throw new Error('no answer');
      changed.push(leadId);
      return leadId;
    });

  expect(await changeEach(3, 2, 1)).toEqual({ items: [3, 1], refusals: ['There is no lead 2.'] });
  await expect(changeEach(4, 5)).rejects.toThrow('no answer');
  expect(changed).toEqual([3, 1]);
});
