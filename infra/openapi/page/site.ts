import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../../cli/error-code.ts';
import { DocsError } from './docs-error.ts';
import { type ApiDescription, markdownFiles } from './markdown.ts';
import { type PageOptions, referencePage, referenceScript, scriptName } from './reference-page.ts';

const openApiFile = join(import.meta.dirname, '../../..', 'openapi.json');

/** The files of the site by name. */
export function siteFiles(
  page: Omit<PageOptions, 'openApi'> = {},
): Readonly<Record<string, string>> {
  const openApi = readFileSync(openApiFile, 'utf8');
  return {
    'index.html': referencePage({ openApi, ...page }),
    [scriptName]: referenceScript(),
    'openapi.json': openApi,
    ...markdownFiles(JSON.parse(openApi) as ApiDescription),
  };
}

/**
 * Writes the site into a new or an empty folder, all files or none.
 * @returns the folder and its files
 * @throws DocsError for a folder that is not empty, or that cannot be written
 */
export function writeSite(folder: string): { folder: string; names: string[] } {
  const target = resolve(folder);
  const files = siteFiles();
  const part = `${target}.${process.pid}.part`;
  try {
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new DocsError(
        `--out ${folder}: the folder is not empty: name a new folder, or empty this one.`,
      );
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(part);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(part, name), text);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw writeError(folder, error);
  }
  return { folder: target, names: Object.keys(files) };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'the folder cannot be written',
  EPERM: 'the folder cannot be written',
  EROFS: 'the file system cannot be written',
  ENOTDIR: 'it is a file, or in a file',
  ENOENT: 'the folder cannot be created',
  ENOSPC: 'the disk is full',
};

function writeError(folder: string, error: unknown): unknown {
  const reason = reasons[errorCode(error) ?? ''];
  return reason
    ? new DocsError(`--out ${folder}: ${reason}: name another folder.`, { cause: error })
    : error;
}
