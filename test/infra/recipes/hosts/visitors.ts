import type { Post } from './recipes.ts';

/** Who visits the websites of the recipes. */

/** The recipes are set to Germany, and to the website of the MBA. */
export const constants = { country: '+49', source: 'MBA site' };
/** Three websites that one service tells apart, each with a user of its own. */
export const settings = {
  users: [
    { id: 7, name: 'Asha Rao' },
    { id: 8, name: 'Ravi Iyer' },
    { id: 10, name: 'Kiran Nair' },
  ],
  sources: ['Website', 'MBA site', 'Design site'].map((name, index) => ({ id: index + 1, name })),
  assignmentRules: [
    { when: { field: 'source', equals: ['MBA site'] }, users: [7] },
    { when: { field: 'source', equals: ['Design site'] }, users: [8] },
    { when: { field: 'source', equals: ['Website'] }, users: [10] },
  ],
};
export const person = (index: number): Post => ({
  name: `Person ${index} आशा`,
  phone: `+919820${String(600_000 + index)}`,
  notes: `text ${index}`,
});
/** Only the service knows that it is no phone. */
export const wrongPhone: Post = { ...person(0), phone: '+91 12345 6', view: 'v0' };
export const beforeFaults: readonly Post[] = [
  { ...person(1), phone: '(+91) 98206 00001', view: 'v1' },
  { ...person(7), phone: '(0151) 23456782', view: 'v7', source: ' design SITE ' },
];
/** The visitor corrects it at once, whether the service answers or not. */
export const correctable: readonly Post[] = [
  { ...person(8), name: ' ', view: 'v8' },
  { ...person(8), phone: 'call me maybe', view: 'v8' },
  { ...person(8), phone: '98200 12345', view: 'v8' }, // of which country?
];
export const whileDown: readonly Post[] = [
  { ...wrongPhone, view: 'v10' }, // nobody can tell the visitor
  { ...person(2), view: 'v1', source: 'unknown'.repeat(10) }, // a second person in the same view; 70 characters
  { ...person(3), view: 'v2' },
  { ...person(3), view: 'v2', notes: 'text 3, changed' }, // the visitor went back
  { ...person(3), view: 'v2' }, // a double click
  { ...person(3), view: 'v2, an hour later' }, // the form again: asked twice
  { ...person(5), view: 'v5', 'notes[]': 'text 5' }, // PHP reads a list where the recipe expects a text
  { name: 'Without notes', phone: '+919820699999', view: 'v4', email: 'nobody@' },
  { ...person(4), view: 'v3', email: 'nobody@', course: 'knitting', intrest: 'Abroad' },
];
const textsOf3 = ['text 3', 'text 3', 'text 3, changed'];
export const expectedNotes = ['email: nobody@', 'late', 'text 1', 'text 2', ...textsOf3, 'text 7'];
export const late: Post = { ...person(9), notes: 'late', view: 'v9' };
