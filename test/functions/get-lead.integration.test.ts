import { expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';

test("a captured lead can be read back in the contract's shape", async () => {
  const { reader, website } = await givenOrganization();
  const who = person();
  const captured = await call('capture-lead', { apiKey: website, body: who });

  const answer = await call('get-lead', { apiKey: reader, leadId: captured.body.lead.id });

  expect(answer.status).toBe(200);
  expect(answer.body.lead).toMatchObject({
    ...who,
    leadType: 'student',
    stageId: 11,
    stage: { id: 11, name: 'New', meaning: 'open' },
  });
});
