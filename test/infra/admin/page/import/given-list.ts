import { setTimeout } from 'node:timers/promises';
import { type Browser, filled, type Reply } from '../given-page.ts';

/** A browser that imports into an organization. */
type Importing = Browser & { readonly organization: { readonly id: number } };

export const pathOf = ({ organization }: Importing): string => `/o/${organization.id}/import`;

/** A list of people. */
export const list = (rows: number, status = 'New'): string =>
  [
    'Full Name,Mobile,Status,Remarks,Row',
    ...Array.from(
      { length: rows },
      (_, at) => `Person ${at},98220 ${10_000 + at},${status},Call,${at}`,
    ),
  ].join('\n');

/** Uploads a list. */
export const read = (
  page: Importing,
  text: string,
  name = 'leads.csv',
  more = {},
): Promise<Reply> =>
  page.upload(pathOf(page), { ':do': 'upload', file: new File([text], name), ...more });

/** The form of the file, or of the button of a run. */
export const formWith = ({ text }: Reply, what: string): Reply => {
  const forms = [...text.matchAll(/<form [^>]*>.*?<\/form>/gs)].map(([form]) => form);
  const found = forms.find((form) => form.includes(`value="${what}"`)) ?? '';
  return { status: 200, headers: {}, text: found.replace(/<form [^>]*>/, '<form id="one">') };
};

/** Presses a button of a form with what is typed over, and waits for the end of the run. */
export async function press(
  page: Importing,
  reply: Reply,
  what: string,
  typed: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const pressed = await page.post(
    pathOf(page),
    filled(formWith(reply, what), 'one', { ...typed, ':do': what }),
  );
  return ended(page, pressed);
}

/** The page once the run has ended. */
export async function ended(page: Importing, reply: Reply): Promise<Reply> {
  let shown = reply;
  while (shown.headers.refresh !== undefined) {
    await setTimeout(50);
    shown = await page.get(pathOf(page));
  }
  return shown;
}
