const columnHelp = `\
The heading of a column is the key or label of a field, or one of: owner, stage,
pipeline, created at, updated at, archived, archived at.
Write a stage, pipeline, source or user as its ID or name, and an option as its
value or label. Separate several options by commas (hostel,loan), or write them
as a JSON list (["hostel","Education loan, bank"]). Write a phone with its country
code: a number without one is read as an Indian number, and the command says how
many were.

A column "note", or one mapped to note, becomes a note on the lead's timeline,
dated as the lead is created.

Rows follow the rules of create-lead. A row that lead export wrote has a value
in the column "lead service export". It is imported unchanged, even if its stage,
users, source, options or fields are no longer active.
A column "Lead ID" without that column has the IDs of another system. Ignore it
with --ignore 'Lead ID', or map it to a field with --map 'Lead ID=FIELD' (for
--keep-ids, FIELD is 'lead id').
Without "updated at", a lead counts as updated now. With a past "updated at", a
sync job that has already read past that time does not see the lead.
`;

const formatHelp = `\
A spreadsheet writes dates, numbers and answers as its country does. Say so:
  --dates dd.mm.yyyy            reads 21.11.2026, and 21.11.2026 14:30 (as UTC)
  --decimal comma               reads 12.500,50 as 12500.5
  --value 'Newsletter:ja=yes'   reads ja in the column Newsletter as yes
  --encoding windows-1252       for "CSV" of a spreadsheet on Windows; without it
                                UTF-8
Without --decimal the point marks decimals, and a number that a comma and a point
read differently (12.500; 1,250) is refused. When an option would help, the
command names it. Rows that lead export wrote are read as they are.
`;

const reportHelp = `\
If the command is interrupted, run it again: rows that were imported are
skipped. A row that another --dates, --decimal or --value reads differently than
its import did is refused, with the lead's ID. With another --map or --ignore a
row has other values: it is refused, as its phone belongs to a lead.
The report has the refused rows under the headings of the file, with its
delimiter and encoding: correct a copy, and import it with the same options. A
completed import replaces the report of an earlier one; an interrupted import or
a dry run does not.
The status is 1 if rows were refused.
`;

export const importHelp = `
${columnHelp}
${formatHelp}
${reportHelp}
Examples:
  npm run admin -- lead import --organization 1 leads.csv --dry-run
  npm run admin -- lead import --organization 1 leads.csv \\
    --map 'Full name=name' --map 'Mobile=phone' --ignore Remarks
  npm run admin -- lead import --organization 1 kunden.csv \\
    --encoding windows-1252 --dates dd.mm.yyyy --decimal comma \\
    --value 'Newsletter:ja=yes' --value 'Newsletter:nein=no' \\
    --map 'Bemerkung=note'`;
