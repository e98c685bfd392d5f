import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from './support/service-process.ts';

/** References between code and documents, and links between documents: each must resolve. */

interface Heading {
  readonly level: number;
  readonly text: string;
  /** `4.3`; undefined for a heading without a number. */
  readonly number: string | undefined;
  /** Everything up to the next heading of the same level or a higher one. */
  readonly body: string;
}

interface Reference {
  readonly file: string;
  readonly index: number;
  readonly text: string;
}

const folders = ['functions', 'shared', 'infra', 'test'];
const thisFile = 'test/documents.test.ts'; // it contains references that must not resolve
const files = [
  ...readdirSync(projectFolder),
  ...folders.flatMap((folder) =>
    readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  ),
].filter((file) => /\.(ts|mjs|md)$/.test(file) && file !== thisFile);
const sources = new Map(
  files.map((file) => [file, readFileSync(join(projectFolder, file), 'utf8')]),
);
const pages = files.filter((file) => file.endsWith('.md'));

const spaces = (text: string): string => ' '.repeat(text.length);
/** Code in a page is an example: it neither links nor has headings. Positions stay. */
const withoutFences = (text: string): string =>
  text.replace(/^```[\s\S]*?^```/gm, (fence) => fence.replace(/./g, ' '));
/** A sentence of a comment on one line. Positions stay. */
const withoutLineBreaks = (text: string): string =>
  text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/)?/g, spaces);

function headingsOf(page: string): Heading[] {
  const text = withoutFences(sources.get(page) ?? '');
  const found = [...text.matchAll(/^(#{1,6}) (?:(\d+(?:\.\d+)*)\.? )?(.*)$/gm)];
  return found.map(({ 1: marks = '', 2: number, 3: words = '', index }, at) => {
    const next = found.slice(at + 1).find(({ 1: others = '' }) => others.length <= marks.length);
    return {
      level: marks.length,
      number,
      text: words.trim(),
      body: text.slice(index + 1, next?.index),
    };
  });
}

const headings = new Map(pages.map((page) => [page, headingsOf(page)]));
const numbered = { contract: 'shared/CONTRACT.md', design: 'shared/DESIGN.md' } as const;

const lineOf = ({ file, index }: Reference): number =>
  (sources.get(file) ?? '').slice(0, index).split('\n').length;
const report = (reference: Reference, why: string): string =>
  `${reference.file}:${lineOf(reference)} ${reference.text.replace(/\s+/g, ' ')}: ${why}`;

/** `section 4.3`, `sections 4, 7 and 8`, `sections 4.1 to 4.7`, `section 4.3, rules 3 and 4`, `section 5, key types`. */
const number = String.raw`\d+(?:\.\d+)*`;
const and = String.raw`(?:,\s+|,?\s+(?:and|to)\s+)`;
const sectionReference = new RegExp(
  String.raw`\bsections?\s+(${number}(?:${and}${number})*)(?:,\s+(?:rules?\s+(\d+(?:${and}\d+)*)|([A-Za-z][\w ]*))(?=[);]))?`,
  'gi',
);
const lookBackChars = 160;

/** The page that a reference is to: the last one named before it, or the page itself; undefined for a document outside the project. */
function pageNamedBefore(file: string, text: string, index: number): string | undefined {
  const before = text.slice(Math.max(0, index - lookBackChars), index);
  const own = Object.values(numbered).find((page) => page === file);
  const named = own ? /\b(contract|design),\s+$/i : /.*\b(contract|design|RFC|standard|guide)\b/is;
  const name = named.exec(before)?.[1]?.toLowerCase();
  return name === 'contract' || name === 'design' ? numbered[name] : own;
}

function sectionIssues(file: string): { references: number; issues: string[] } {
  const text = withoutLineBreaks(sources.get(file) ?? '');
  const issues: string[] = [];
  let references = 0;
  for (const { 0: words, 1: sections = '', 2: rules, 3: name, index } of text.matchAll(
    sectionReference,
  )) {
    const page = pageNamedBefore(file, text, index);
    if (page === undefined) continue;
    references += 1;
    const targets = sections.match(/\d+(?:\.\d+)*/g) ?? [];
    const found = targets.map((target) =>
      headings.get(page)?.find((heading) => heading.number === target),
    );
    const missing = targets
      .filter((_, at) => found[at] === undefined)
      .map((target) => `section ${target}`);
    const body = found.at(-1)?.body ?? '';
    for (const rule of rules?.match(/\d+/g) ?? [])
      if (!new RegExp(`^${rule}\\. `, 'm').test(body)) missing.push(`rule ${rule}`);
    if (name && !body.toLowerCase().includes(name.toLowerCase())) missing.push(`words "${name}"`);
    if (missing.length > 0)
      issues.push(report({ file, index, text: words }, `${page} has no ${missing.join(', ')}`));
  }
  return { references, issues };
}

/** `LOCAL.md, "The settings file"`, or only a page's name. A reader can open only pages of the repository. */
const pageReference =
  /(?<![\w/.-])([\w./-]*\w\.md|local-service)\b(?:,\s+"([^"]+)"|,\s+(sections?\s+[^).;]+))?/g;

function pageIssues(file: string): string[] {
  const text = withoutLineBreaks(sources.get(file) ?? '');
  return [...text.matchAll(pageReference)].flatMap(
    ({ 0: words, 1: name = '', 2: heading, 3: unquoted, index }) => {
      const page = pages.find((one) => basename(one) === basename(name));
      const reference = { file, index, text: words };
      if (!page) return [report(reference, 'there is no such page')];
      if (unquoted) return [report(reference, `quote the heading: ${basename(page)}, "…"`)];
      const isThere =
        heading === undefined || headings.get(page)?.some((one) => one.text === heading);
      return isThere ? [] : [report(reference, `${page} has no heading "${heading}"`)];
    },
  );
}

/** As GitHub makes it. */
const anchorOf = ({ number, text }: Heading): string =>
  `${number ? `${number.replaceAll('.', '')}-` : ''}${text}`
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

function linkIssues(page: string): string[] {
  const text = withoutFences(sources.get(page) ?? '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(({ 0: words, 1: target = '', index }) => {
    if (/^(https?:|mailto:)/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
    const reference = { file: page, index, text: words };
    if (!existsSync(join(projectFolder, linked)))
      return [report(reference, `there is no ${linked}`)];
    if (
      anchor === undefined ||
      headings.get(linked)?.some((heading) => anchorOf(heading) === anchor)
    )
      return [];
    return [report(reference, `${linked} has no heading #${anchor}`)];
  });
}

/** `functions/get-lead/handler.ts` in a page; `functions/<name>/handler.ts` is a pattern. */
function pathIssues(page: string): string[] {
  return [
    ...(sources.get(page) ?? '').matchAll(/`((?:functions|shared|infra|test)\/[\w./-]*)`/g),
  ].flatMap(({ 0: words, 1: path = '', index }) =>
    existsSync(join(projectFolder, path))
      ? []
      : [report({ file: page, index, text: words }, 'there is no such file')],
  );
}

const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

function scriptIssues(page: string): string[] {
  return [...(sources.get(page) ?? '').matchAll(/\bnpm run (?:--silent )?([a-z]+)/g)].flatMap(
    ({ 0: words, 1: name = '', index }) =>
      name in scripts
        ? []
        : [report({ file: page, index, text: words }, `package.json has no script ${name}`)],
  );
}

describe('documents', () => {
  test('every section of the contract and of the design that is referred to exists', () => {
    const found = files.map(sectionIssues);

    expect(found.flatMap(({ issues }) => issues)).toEqual([]);
    expect(found.reduce((sum, { references }) => sum + references, 0)).toBeGreaterThan(60);
  });

  test('every page that is referred to by name exists, with the heading that is quoted', () => {
    expect(files.flatMap(pageIssues)).toEqual([]);
  });

  test('every relative link of a page leads to a file, and to a heading of it', () => {
    expect(pages.flatMap(linkIssues)).toEqual([]);
  });

  test('every path that a page names in backticks exists', () => {
    expect(pages.flatMap(pathIssues)).toEqual([]);
  });

  test('every npm script that a page names is in package.json', () => {
    expect(pages.flatMap(scriptIssues)).toEqual([]);
  });
});

/** Next to the checkout of those who maintain the interface, and nowhere else. */
const agreedContract = join(projectFolder, '..', 'shared', 'contract.md');

test.skipIf(!existsSync(agreedContract))(
  'the contract is word for word the one that was agreed',
  () => {
    expect(sources.get('shared/CONTRACT.md')).toBe(readFileSync(agreedContract, 'utf8'));
  },
);
