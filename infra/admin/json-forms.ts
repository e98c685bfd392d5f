/** What each command prints with `--json`, for its help and COMMANDS.md. A name with `?` can be absent. */
export const jsonForms: Readonly<Record<string, string>> = {
  'organization init': '{"file":"…"}',
  'organization schema': 'the schema',
  'organization apply':
    '{"organization":{"id":1}}; a dry run also "outcome":"created|updated|unchanged", "changes":[{"path":"$.sources[id=3].name","change":"added|changed|removed|activated|deactivated|reordered","from"?,"to"?}], "refusals":[{"path","message"}]',
  'organization show': 'the settings as a settings file, with "version":N',
  'organization diff': '{"changes":[{"path":"$.sources[id=9]","kind":"added|removed|changed"}]}',
  'organization list': '{"items":[{"id","name"}]}',
  'organization history':
    '{"items":[{"at","endedAt"?,"who","what","versionBefore"?,"versionAfter"?,"isBetween"?,"erasedLeadId"?,"restoredTableId"?}]}, without personal data',
  'organization undo': '{"organization":{"id":1}}',
  'key create': '{"key":"…","keyId":"…","scopes":[…],"expiresAt":"…"}',
  'key list':
    '{"items":[{"keyId","label","type","scopes","createdBy","createdAt","expiresAt","revokedAt","lastUsedAt"}]}',
  'key rotate': '{"key":"…","keyId":"…","scopes":[…],"expiresAt":"…"}',
  'key revoke': '{"keyId":"…","revokedAt":"…"}',
  'lead archive': '{"leadId":5,"archived":true}; several leads: {"items":[…]}',
  'lead restore': '{"leadId":5,"archived":false}; several leads: {"items":[…]}',
  'lead show': '{"lead":{…the contract\'s Lead…},"archivedAt":null}',
  'lead timeline': '{"items":[…]} (infra/guides/commands.md, "Timeline items")',
  'lead find': 'as lead list; by whole phone or email only the item',
  'lead list':
    '{"items":[{"leadId","name","phone","email","archived","createdAt","updatedAt"}],"more":false}',
  'lead edit': '{"items":[{"leadId":1,"changed":["phone","stage"]}]}',
  'lead reassign': '{"reassigned":12}',
  'lead import':
    '{"rows","imported","alreadyThere","refused","report","dryRun"}, with --update also "updated"; with --undo {"removed","kept":[{"leadId"}]}',
  'lead export': 'with --out {"leads":N,"file":"…","after"?}, else the leads',
  'lead timelines': 'with --out {"items":N,"leads":N,"file":"…"}, else the lines',
  'lead dossier':
    '{"lead":{…},"timeline":[…],"auditLog":[…],"idempotencyRecords":N,"importedRows":N,"mentions":[{"leadId","fields"}],"otherItems":[{"leadId","id"}]}',
  'lead erase':
    '{"leadId","timelineEntries","idempotencyRecords","importedRows","otherEntries","otherLeads","mentions":[{"leadId","fields"}],"changes":[{"leadId","id"}],"phones","emails","backupsUntil"}; a dry run has "dryRun":true instead of "backupsUntil"; several leads and --inactive-since: {"items":[…]}',
  'restore finish':
    '{"organizations","keysRevoked","leadsErased","entriesCleaned","onlyInOld","keysOnlyInOld":[{"organizationId","keyId","label"}],"leadsMissingInOld":[{"organizationId","leadId"}],"leadsOnlyInOld":[{"organizationId","leadId"}],"entriesDiffering","partsCompleted","partsRemoved","leadsMended":[{"organizationId","leadId"}],"protection","leads","violations"}',
  'restore drill':
    '{"items","keysRevoked","leadsErased","leads","violations"}, status 1 if the drill is not clean',
  'service stop': '{"stopped":[…endpoints…]}',
  'service start': '{"started":[…endpoints…]}',
  check: '{"leads":N,"violations":[…]}',
  request: '{"requestId","lines":[{"at","logGroup","line"}],"traces":[{"traceId","segments"}]}',
};
