import type { PlantedBug } from '../planted-bug.ts';

/** Of edits, settings, keys and limits. */
export const bugsOfEdits: readonly PlantedBug[] = [
  {
    name: 'duplicate of itself',
    file: 'shared/store/leads/update-lead.ts',
    before: 'firstHolderIn(written.existing, identityOf(after), before.id);',
    after: 'firstHolderIn(written.existing, identityOf(after));',
    how: 'One change that is sent twice at once is refused as a duplicate of its own lead.',
    foundBy: 'One change is sent twice at once',
  },
  {
    name: 'duplicate of nobody named',
    file: 'shared/store/leads/create-lead.ts',
    before: 'holder: firstHolderIn(written.existing, identityOf(lead)) }',
    after: 'holder: undefined }',
    how: "A duplicate by phone is refused without the other lead's id.",
    foundBy: 'Several clients take one phone and one email at once',
  },
  {
    name: 'change of nothing',
    file: 'functions/update-lead.ts',
    before: 'if (changes.length === 0) return before;',
    after: '',
    how: 'An update that changes nothing is written.',
    foundBy:
      'Places that do not fit and fields that are never empty are refused, and what is equal changes nothing',
  },
  {
    name: 'current stage must be active',
    file: 'functions/update-lead.ts',
    before: 'placeLead(organization, body, issues, before.stageId)',
    after: 'placeLead(organization, body, issues)',
    how: 'A lead cannot stay in a stage that became inactive.',
    foundBy:
      'A lead stays in a stage, and with an owner, that became inactive, and no other goes there',
  },
  {
    name: 'equal values are checked',
    file: 'functions/update-lead.ts',
    before: 'differing(organization, before, body.fields ?? {}),',
    after: 'body.fields ?? {},',
    how: 'A lead cannot keep an owner who became inactive.',
    foundBy:
      'A lead stays in a stage, and with an owner, that became inactive, and no other goes there',
  },
  {
    name: 'inactive stages are chosen',
    file: 'shared/leads/placement.ts',
    before: 'if (!stage.active && stageId !== current)',
    after: 'if (!stage.active && stageId === current)',
    how: 'A lead moves to a stage that is not active.',
    foundBy:
      'A lead stays in a stage, and with an owner, that became inactive, and no other goes there',
  },
  {
    name: 'stage of another pipeline',
    file: 'shared/leads/placement.ts',
    before: 'if (pipelineId !== undefined && stage.pipelineId !== pipelineId) {',
    after: 'if (pipelineId !== undefined && stage.pipelineId !== stage.pipelineId) {',
    how: 'A request names a stage of another pipeline and is obeyed.',
    foundBy:
      'Places that do not fit and fields that are never empty are refused, and what is equal changes nothing',
  },
  {
    name: 'lead type emptied',
    file: 'shared/leads/fields.ts',
    before: "const isNeverEmpty = field.key === 'lead_type';",
    after: 'const isNeverEmpty = false;',
    how: 'A lead loses its type.',
    foundBy:
      'Places that do not fit and fields that are never empty are refused, and what is equal changes nothing',
  },
  {
    name: 'inactive stage hidden',
    file: 'shared/leads/lead.ts',
    before: 'stage: stage ? {',
    after: 'stage: stage?.active ? {',
    how: 'A lead in an inactive stage shows none.',
    foundBy:
      'A lead stays in a stage, and with an owner, that became inactive, and no other goes there',
  },
  {
    name: 'server errors are final',
    file: 'shared/store/table/transact.ts',
    before: 'return ($metadata.httpStatusCode ?? 500) >= 500 || throttledErrors.has(name);',
    after: 'return throttledErrors.has(name);',
    how: 'A transaction of unknown outcome is not sent again under its token.',
    foundBy: 'A transaction fails three times with an error of the server',
  },
  {
    name: 'module not required',
    file: 'shared/middleware/authorize.ts',
    before: 'if (!admitted?.organization.modules.includes(endpoint.module)) {',
    after: 'if (!admitted) {',
    how: 'An organization without the module is served.',
    foundBy: 'An organization loses the module that its endpoints are part of',
  },
  {
    name: 'deadline past the end',
    file: 'shared/middleware/endpoint.ts',
    before: 'const responseReserveMs = 500;',
    after: 'const responseReserveMs = -500;',
    how: 'A function is ended before it answers.',
    foundBy: 'An answer is given at the deadline, and the process serves another request later',
  },
  {
    name: 'removal does not wait',
    file: 'shared/store/organizations/apply-settings.ts',
    before: 'const longestRequestMs = (limits.functionTimeoutSeconds + 1) * 1000;',
    after: 'const longestRequestMs = 1000;',
    how: 'A source is removed while a request that names it is under way.',
    foundBy: 'A source is removed while an enquiry that names it is under way',
  },
  {
    name: 'keys made meanwhile',
    file: 'shared/store/organizations/apply-settings.ts',
    before:
      'if (current?.version !== version || current.keysCreated !== before.keysCreated) return undefined;',
    after: 'if (current?.version !== version) return undefined;',
    how: 'A user is removed in whose name a key was made meanwhile.',
    foundBy: 'A user is removed while a key is made in the name of the user',
  },
  {
    name: 'keys not counted',
    file: 'shared/store/organizations/organizations.ts',
    before: "'#version = :before AND keysCreated = :keysCreated'",
    after: "'#version = :before AND attribute_exists(keysCreated) AND :keysCreated = :keysCreated'",
    how: 'Settings are replaced although a key was made since they were read.',
    foundBy: 'A user is removed while a key is made in the name of the user',
  },
  {
    name: 'key of replaced settings',
    file: 'shared/store/organizations/organizations.ts',
    before: "ConditionExpression: '#version = :version',",
    after: "ConditionExpression: '#version = :version OR attribute_exists(#version)',",
    how: 'A key is made by settings that were replaced meanwhile.',
    foundBy: 'A user is removed while a key is made in the name of the user',
  },
  {
    name: 'revoked again',
    file: 'shared/store/organizations/api-keys.ts',
    before: "ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revokedAt)',",
    after: "ConditionExpression: 'attribute_exists(pk)',",
    how: 'A second revocation changes when the key was revoked.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'revocation that met another',
    file: 'shared/store/organizations/api-keys.ts',
    before: "return outcome === 'written' ? revokedAt : conflict;",
    after: 'return revokedAt;',
    how: 'A revocation that was not written is told as done.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'writing includes capturing',
    file: 'shared/organization/api-key.ts',
    before:
      "requested.includes(scope) || (scope === 'leads.read' && requested.includes('leads.write'));",
    after: "requested.includes(scope) || requested.includes('leads.write');",
    how: 'A key gets a scope that nobody asked for.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'writing without reading',
    file: 'shared/organization/api-key.ts',
    before:
      "requested.includes(scope) || (scope === 'leads.read' && requested.includes('leads.write'));",
    after: 'requested.includes(scope);',
    how: 'A key that writes cannot read.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: "a form's key ends early",
    file: 'shared/store/organizations/api-keys.ts',
    before: 'now.getTime() + lifetimeDays[type] * 86_400_000',
    after: 'now.getTime() + lifetimeDays.application * 86_400_000',
    how: "A form's key ends after 90 days.",
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'refusals not cached',
    file: 'shared/middleware/admission.ts',
    before: 'refuseCached(call, cached, now);',
    after: '',
    how: 'A revoked key costs two calls each time.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'refusal cached elsewhere',
    file: 'shared/middleware/admission.ts',
    before: 'cachedKeys.set(apiKeyHash, { refused: true });',
    after: "cachedKeys.set('', { refused: true });",
    how: 'A revoked key costs calls each time.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'expiry of a cached key not compared',
    file: 'shared/middleware/admission.ts',
    before: 'if (cached.refused || cached.caller.expiresAt <= now.getTime())',
    after: 'if (cached.refused)',
    how: 'A key that has expired costs calls each time.',
    foundBy:
      'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
  },
  {
    name: 'window of the wrong bucket told',
    file: 'shared/middleware/admission.ts',
    before: 'return a.resetsAt >= b.resetsAt ? a : b;',
    after: 'return a.resetsAt >= b.resetsAt ? b : a;',
    how: 'Of two buckets that are equal, the headers tell of the window that ends first.',
    foundBy: 'A key has as many tokens left as its organization, whose window ends earlier',
  },
  {
    name: "window's end told in minutes",
    file: 'shared/middleware/admission.ts',
    before: 'Math.ceil((atMs - Date.now()) / 1000)',
    after: 'Math.ceil((atMs - Date.now()) / 60_000)',
    how: 'The headers say that a window ends in a minute.',
    foundBy: 'Leads are created, also for a person who is known and an owner who is named',
  },
  {
    name: 'limits of the roomier bucket told',
    file: 'shared/middleware/admission.ts',
    before: 'if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;',
    after: 'if (a.remaining !== b.remaining) return a.remaining > b.remaining ? a : b;',
    how: 'The headers tell of the bucket that has more left.',
    foundBy: 'Leads are created, also for a person who is known and an owner who is named',
  },
  {
    name: 'ids taken by reads',
    file: 'shared/store/organizations/admission.ts',
    before: 'numbersLeads ? { ...step,',
    after: 'numbersLeads || step ? { ...step,',
    how: "Every request uses a lead's id.",
    foundBy: 'Leads are created, also for a person who is known and an owner who is named',
  },
];
