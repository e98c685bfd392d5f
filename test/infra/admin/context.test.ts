import { expect, test } from 'vitest';
import { CommandContext } from '../../../infra/admin/context.ts';
import { CliCommand } from '../../../infra/cli/command.ts';

test('all paced reads of a command share one rate, however often it asks for the table', async () => {
  const none = () => undefined;
  const environment = { LEADS_TABLE: 'leads', AWS_REGION: 'us-east-1' };
  const io = { environment, stdout: none, stderr: none, hasTerminal: false, localFolder: '/none' };
  const command = new CliCommand('it');
  const context = await CommandContext.of(io, command);

  expect(context.pacedTable()).toBe(context.pacedTable());
  expect(context.pacedTable()).not.toBe(context.table());
});
