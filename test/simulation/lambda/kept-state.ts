import { transform } from 'esbuild';
import { currentProcess } from './current-process.ts';

/**
 * Text that may keep something from one request to the next, or ask for its process's environment, when it is evaluated: a variable, a
 * cache, an object made of a class. What holds only words, patterns and rules does not.
 */
const keeping: readonly RegExp[] = [
  /^(export )?(let|var) /m,
  /^(export )?const [^=\n]*=\s*(\[\]|\{\}|Object\.create\()/m,
  /^(export )?const [^=\n]*=\s*new (?!RegExp\b|FieldIssue\b|(Set|Map)(<[^()]*>)?\([^)])/m,
  /^\s*static (?!override )[^(\n]*=/m,
  /^(?!(export )?(async )?function\b)\S.*\bprocess\.env\b/m,
];

/** Whether a module keeps something of its own when it is evaluated: then each process has to evaluate it. */
export const keepsState = (text: string): boolean => keeping.some((one) => one.test(text));

/** A variable of a module. One whose type or value has a semicolon at a line's end, or a type with an arrow, is not recognized. */
const declaration = /^(export )?(let|var|const) (\w+)(?:: [^=;\n]+)?(?: =\s*([^;]+))?;$/gm;

interface Variable {
  readonly statement: string;
  readonly isExported: boolean;
  readonly name: string;
  readonly value: string;
}

const variablesOf = (text: string): Variable[] =>
  [...text.matchAll(declaration)]
    .filter(
      ([statement, exported, kind]) => keepsState(statement) && !(exported && kind !== 'const'),
    )
    .map(([statement, exported, , name = '', value = 'undefined']) => ({
      statement,
      isExported: exported !== undefined,
      name,
      value,
    }));

/**
 * The text of a module that can be evaluated once for all processes: each has its own values of the variables that keep something.
 * @param path tells its variables from those of other modules
 * @returns undefined where the text keeps something in another way, or gives a variable's name to something else too
 */
export function withKeptState(path: string, text: string): Promise<string | undefined> {
  const id = `${path}\n${text}`;
  const changed = changedTexts.get(id) ?? changedText(path, text);
  changedTexts.set(id, changed);
  return changed;
}

const changedTexts = new Map<string, Promise<string | undefined>>();

async function changedText(path: string, text: string): Promise<string | undefined> {
  const variables = variablesOf(text);
  if (variables.length === 0) return keepsState(text) ? undefined : text;
  const rest = variables.reduce((left, { statement }) => left.replace(statement, () => ''), text);
  if (keepsState(rest)) return undefined;
  const kept = variables.reduce((changed, variable) => withKept(path, changed, variable), text);
  return (await isProgram(kept)) ? kept : undefined;
}

/** Each name is replaced by a member of an object: where another variable, a parameter or a short member has it, that is no TypeScript. */
const isProgram = (text: string): Promise<boolean> =>
  transform(text, { loader: 'ts', logLevel: 'silent' }).then(
    () => true,
    () => false,
  );

function withKept(
  path: string,
  text: string,
  { statement, isExported, name, value }: Variable,
): string {
  const id = JSON.stringify(`${path}#${name}`);
  if (isExported) {
    const kept = `export const ${name} = keptState.object(${id}, () => (${value}));`;
    return text.replace(statement, () => kept);
  }
  const declared = text.replace(statement, () => `keptState.declare(${id}, () => (${value}));`);
  return withMember(declared, name, `keptState.values[${id}]`);
}

const comment = '\\/\\/.*|\\/\\*[^]*?\\*\\/';
const quoted = `'(?:\\\\.|[^'\\\\\\n])*'|"(?:\\\\.|[^"\\\\\\n])*"`;
const template = '`(?:\\\\.|[^`\\\\])*`';

/** Names a member in the place of a variable, outside of comments and of what is only text. */
function withMember(text: string, name: string, member: string): string {
  const use = `(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name}(?![\\w$])`;
  return text.replace(new RegExp(`${comment}|${quoted}|${template}|${use}`, 'g'), (found) => {
    if (found === name) return member;
    if (!found.startsWith('`')) return found;
    return found.replace(/\$\{[^}]*\}/g, (value) => withMember(value, name, member));
  });
}

/** What a text of `withKeptState` finds under the name `keptState`. */
export interface KeptState {
  readonly declare: (id: string, first: () => unknown) => void;
  /** The running process's values, by id. */
  readonly values: Readonly<Record<string, unknown>>;
  /** An object whose members are those of the running process's. */
  readonly object: (id: string, first: () => object) => object;
}

/** For one evaluation of modules. */
export function keptState(): KeptState {
  const values: Record<string, unknown> = {};
  const owner = {};
  const declare: KeptState['declare'] = (id, first) => {
    Object.defineProperty(values, id, {
      get: () => {
        const kept = currentProcess.kept(owner);
        if (!kept.has(id)) kept.set(id, first());
        return kept.get(id);
      },
      set: (value: unknown) => {
        currentProcess.kept(owner).set(id, value);
      },
    });
  };
  return {
    declare,
    values,
    object: (id, first) => {
      declare(id, first);
      return new Proxy(
        {},
        { get: (_, member) => (values[id] as Record<PropertyKey, unknown>)[member] },
      );
    },
  };
}
