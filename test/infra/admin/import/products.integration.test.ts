import { expect, test } from 'vitest';
import { leadsOf } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useFolder } from '../../given-folder.ts';
import { json, run } from '../commands.ts';

/**
 * Files as other products write them: their headings, encoding, delimiter and forms of values. All people are invented. Each is imported by the
 * plan that the command proposes, with the corrections that a person would make.
 */

const files = useFolder();

const users = [
  { id: 7, name: 'Asha Rao' },
  { id: 8, name: 'Ravi Iyer' },
];

const csv = (...rows: readonly string[]): string => `${rows.join('\r\n')}\r\n`;

interface Product {
  readonly file: string;
  readonly content: string | Buffer;
  /** What a person changes in the plan. */
  readonly corrections?: object;
  readonly leads: readonly object[];
  readonly refused?: number;
}

const utf16 = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

const outlookHeadings =
  "Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business Street 2,Business Street 3,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home Street 2,Home Street 3,Home City,Home State,Home Postal Code,Home Country/Region,Other Street,Other Street 2,Other Street 3,Other City,Other State,Other Postal Code,Other Country/Region,Assistant's Phone,Business Fax,Business Phone,Business Phone 2,Callback,Car Phone,Company Main Phone,Home Fax,Home Phone,Home Phone 2,ISDN,Mobile Phone,Other Fax,Other Phone,Pager,Primary Phone,Radio Phone,TTY/TDD Phone,Telex,Account,Anniversary,Assistant's Name,Billing Information,Birthday,Business Address PO Box,Categories,Children,Directory Server,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Address,E-mail 2 Type,E-mail 2 Display Name,E-mail 3 Address,E-mail 3 Type,E-mail 3 Display Name,Gender,Government ID Number,Hobby,Home Address PO Box,Initials,Internet Free Busy,Keywords,Language,Location,Manager's Name,Mileage,Notes,Office Location,Organizational ID Number,Other Address PO Box,Priority,Private,Profession,Referred By,Sensitivity,Spouse,User 1".split(
    ',',
  );
/** A row of Outlook, which omits the empty cells at its end. */
const outlookRow = (values: Readonly<Record<string, string>>): string =>
  outlookHeadings
    .map((heading) => values[heading] ?? '')
    .join(',')
    .replace(/,+$/, '');

const products: Readonly<Record<string, Product>> = {
  'Meta Lead Ads': {
    file: 'Leads_2026-09-23.csv',
    content: utf16(
      csv(
        'id\tcreated_time\tad_id\tad_name\tadset_id\tadset_name\tcampaign_id\tcampaign_name\tform_id\tform_name\tis_organic\tplatform\tfull_name\tphone_number\temail\tlead_status',
        'l:1000000000000001\t2026-09-23T17:04:53+0530\tag:23850000000000001\tMBA video\tas:23850000000000002\tPune\tc:23850000000000003\tMBA 2026\tf:300000000000001\tMBA form\tfalse\tig\tSameer Rane\tp:+918119900101\ts@example.com\tCREATED',
        'l:1000000000000002\t2026-09-24T08:00:00+0530\tag:23850000000000001\tMBA video\tas:23850000000000002\tPune\tc:23850000000000003\tMBA 2026\tf:300000000000001\tMBA form\tfalse\tfb\tZoë Dsouza\tp:+918119900102\tz@example.com\tCREATED',
      ),
    ),
    leads: [
      { name: 'Sameer Rane', phone: '+918119900101', createdAt: '2026-09-23T11:34:53.000Z' },
      { name: 'Zoë Dsouza', phone: '+918119900102' },
    ],
  },
  'Google Ads lead form': {
    file: 'lead_form.csv',
    content: csv(
      'Lead ID,Campaign ID,Campaign,Ad group ID,Asset ID,GCLID,Submission time,Full name,User email,User phone,City',
      'CjwKCAjw1,1890000001,MBA,15500000001,990001,EAIaIQ1,2026-07-05 14:30:00,Neha Kulkarni,neha@example.com,+918119900111,Pune',
    ),
    leads: [
      { name: 'Neha Kulkarni', phone: '+918119900111', createdAt: '2026-07-05T14:30:00.000Z' },
    ],
  },
  'HubSpot contacts': {
    file: 'hubspot-crm-exports-all-contacts.csv',
    content: csv(
      'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Last Activity Date,Lead Status,Marketing contact status,Create Date,Associated Company',
      '"101","Imran","Shaikh","imran@example.com","+91 81199 00121","Asha Rao","2026-07-06 10:00","New","Marketing contact","2026-07-05 14:30","Acme"',
      '"102","Lea","","lea@example.com","+91 81199 00122","","","Connected","","2026-07-05 15:00",""',
    ),
    corrections: {
      columns: { 'Lead Status': { to: 'stage', values: { Connected: 'Contacted' } } },
    },
    leads: [
      {
        name: 'Imran Shaikh',
        phone: '+918119900121',
        assigned_to: 7,
        createdAt: '2026-07-05T14:30:00.000Z',
      },
      { name: 'Lea' },
    ],
  },
  'Salesforce report': {
    file: 'report1700000000000.csv',
    content: Buffer.from(
      csv(
        '"First Name","Last Name","Title","Company / Account","Email","Lead Source","Street","Lead Status","Lead Owner","Phone","Create Date"',
        '"Jürgen","Groß","CTO","Acme","j@example.com","Web","","Open","Ravi Iyer","+49 30 1234567","14/03/2026"',
        '"Asha","Patil","","","a@example.com","Web","","Open","Asha Rao","081199 00131","05/04/2026"',
      ),
      'latin1',
    ),
    leads: [
      {
        name: 'Jürgen Groß',
        phone: '+49301234567',
        assigned_to: 8,
        createdAt: '2026-03-14T00:00:00.000Z',
      },
      { name: 'Asha Patil', phone: '+918119900131', createdAt: '2026-04-05T00:00:00.000Z' },
    ],
  },
  'Zoho leads': {
    file: 'Leads_2026_07_05.csv',
    content: csv(
      'Record Id,Lead Owner.id,Lead Owner,Company,First Name,Last Name,Title,Email,Phone,Mobile,Lead Source,Lead Status,Created Time,Modified Time,Description',
      'zcrm_5001,zcrm_1,Asha Rao,Acme,Kiran,More,,kiran@example.com,,+918119900141,Website,New,2026-07-05 14:30:00,2026-07-06 09:00:00,Wants a call',
      'zcrm_5002,zcrm_2,Ravi Iyer,,,Joshi,,,,+918119900142,Referral,New,2026-07-05 15:30:00,2026-07-06 09:00:00,',
    ),
    leads: [
      { name: 'Kiran More', phone: '+918119900141', assigned_to: 7, source: 1 },
      { name: 'Joshi', phone: '+918119900142', assigned_to: 8, source: 2 },
    ],
  },
  'Pipedrive people': {
    file: 'people-1.csv',
    content: csv(
      'Person - ID,Person - Name,Person - Organization,Person - Phone,Person - Email,Person - Owner,Person - Person created,Person - Open deals,Person - Closed deals',
      '1,Tara Naik,Acme,+918119900151,tara@example.com,Asha Rao,2026-07-05 14:30:00,1,0',
    ),
    leads: [
      {
        name: 'Tara Naik',
        phone: '+918119900151',
        assigned_to: 7,
        createdAt: '2026-07-05T14:30:00.000Z',
      },
    ],
  },
  'LinkedIn lead gen': {
    file: 'leads_500001.csv',
    content: csv(
      'Lead ID,Ad account name,Campaign name,Creative ID,Form name,Lead type,Created at,First name,Last name,Email address,Phone number,Company name,Job title',
      'urn:1,Academy,MBA,10001,MBA form,SPONSORED,7/25/2026 2:30 PM,Omar,Khan,omar@example.com,+918119900161,Acme,Manager',
    ),
    leads: [{ name: 'Omar Khan', phone: '+918119900161', createdAt: '2026-07-25T14:30:00.000Z' }],
  },
  'Mailchimp audience': {
    file: 'subscribed_members_export.csv',
    content: csv(
      '"Email Address","First Name","Last Name",Address,"Phone Number",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,LEID,EUID,NOTES,TAGS',
      'rhea@example.com,Rhea,Menon,,+918119900171,2,"2026-07-05 14:30:00",,"2026-07-05 14:31:00",203.0.113.9,18.5,73.8,5001,a1b2,,"""MBA"""',
      'nophone@example.com,No,Phone,,,2,"2026-07-05 14:30:00",,"2026-07-05 14:31:00",203.0.113.9,18.5,73.8,5002,a1b3,,',
    ),
    leads: [{ name: 'Rhea Menon', phone: '+918119900171' }],
    refused: 1,
  },
  'Google Contacts': {
    file: 'contacts.csv',
    content: csv(
      'First Name,Middle Name,Last Name,Phonetic First Name,Name Prefix,Nickname,Organization Name,Organization Title,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Website 1 - Label,Website 1 - Value',
      'Dev,Kumar,Sethi,,,,Acme,,,Met at the fair,,* myContacts,* Home,dev@example.com,Mobile,081199 00181,,,,',
      'Two,,Numbers,,,,,,,,,* myContacts,,,Mobile,+918119900182 ::: +918119900183,,,,',
    ),
    leads: [{ name: 'Dev Kumar Sethi', phone: '+918119900181', email: 'dev@example.com' }],
    refused: 1,
  },
  Outlook: {
    file: 'contacts-outlook.csv',
    content: csv(
      outlookHeadings.join(','),
      outlookRow({
        'First Name': 'Mia',
        'Last Name': 'Braun',
        'Mobile Phone': '+918119900191',
        'E-mail Address': 'mia@example.com',
        Notes: 'Old client',
      }),
      outlookRow({
        'First Name': 'Noor',
        'Mobile Phone': '+918119900192',
        Priority: 'Normal',
        Sensitivity: 'Normal',
      }),
    ),
    leads: [
      { name: 'Mia Braun', phone: '+918119900191', email: 'mia@example.com' },
      { name: 'Noor', phone: '+918119900192' },
    ],
  },
};

test.each(Object.entries(products))(
  'a file of %s is imported by the plan that the command proposes, with few corrections',
  async (name, { file: fileName, content, corrections = {}, leads, refused = 0 }) => {
    const organization = await givenOrganization({
      users,
      pipelines: [
        {
          ...{ id: 1, name: 'Admissions', order: 1, isDefault: true },
          stages: [
            { id: 11, name: 'New', slug: 'new', order: 1, meaning: 'open', isDefault: true },
            { id: 12, name: 'Contacted', slug: 'contacted', order: 2, meaning: 'open' },
          ],
        },
      ],
      sources: [
        { id: 1, name: 'Website' },
        { id: 2, name: 'Referral' },
      ],
      fields: [],
      assignmentRules: [],
    });
    const file = await files.write(fileName, content);
    const options = name === 'Salesforce report' ? ['--encoding', 'windows-1252'] : [];
    const proposed = await run(organization, 'lead import', file, ...options, '--json');
    const proposal = JSON.parse(await files.read(proposed.json.plan));
    const { columns, ...others } = corrections as { columns?: object };
    const corrected = { ...proposal, ...others, columns: { ...proposal.columns, ...columns } };
    const plan = await files.write('corrected.json', corrected);

    const imported = await json(organization, 'lead import', file, '--plan', plan);

    expect(imported).toMatchObject({ imported: leads.length, refused });
    const stored = (await leadsOf(organization)).map(({ fields, createdAt }) => ({
      ...fields,
      createdAt,
    }));
    expect(stored).toEqual(leads.map((lead) => expect.objectContaining(lead)));
  },
);
