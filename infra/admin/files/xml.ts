export type Attributes = Readonly<Record<string, string | undefined>>;

/** A tag with the text that follows it. Its attributes are text until somebody needs them. */
export interface Tag {
  readonly name: string;
  readonly attributes: string;
  readonly isClosing: boolean;
  readonly text: string;
}

/** The tags of an XML file. A tag that closes itself comes twice. */
export function* tagsOf(xml: string): Generator<Tag> {
  for (let from = xml.indexOf('<'); from >= 0; ) {
    let to = xml.indexOf('>', from);
    // An attribute can contain the sign.
    while (to >= 0 && !hasClosedQuotes(xml.slice(from, to))) to = xml.indexOf('>', to + 1);
    if (to < 0) return;
    const next = xml.indexOf('<', to);
    const isClosing = xml[from + 1] === '/';
    const isAlone = xml[to - 1] === '/';
    const content = xml.slice(from + (isClosing ? 2 : 1), isAlone ? to - 1 : to);
    const end = content.search(/\s/);
    const [name, attributes] =
      end < 0 ? [content, ''] : [content.slice(0, end), content.slice(end)];
    // A prefix is in front of the names of tags and attributes, or none, as their program likes.
    const tag = { name: name.slice(name.indexOf(':') + 1), attributes, isClosing };
    const text = xml.slice(to + 1, next < 0 ? xml.length : next);
    yield { ...tag, text: isAlone ? '' : text };
    if (isAlone) yield { ...tag, isClosing: true, text };
    from = next;
  }
}

const hasClosedQuotes = (text: string): boolean =>
  !text.includes('"') && !text.includes("'")
    ? true
    : text.replace(/"[^"]*"|'[^']*'/g, '').search(/["']/) < 0;

export const attributesIn = (text: string): Attributes => {
  const attributes: Record<string, string> = {};
  for (const [, name = '', double, single = ''] of text.matchAll(
    /(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  ))
    attributes[name] = decoded(double ?? single);
  return attributes;
};

/** The attributes of each tag of a name. */
export const attributesOf = (xml: string, name: string): Attributes[] =>
  [...tagsOf(xml)]
    .filter((tag) => tag.name === name && !tag.isClosing)
    .map(({ attributes }) => attributesIn(attributes));

const entities: Attributes = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) =>
        name
          ? (entities[name] ?? all)
          : String.fromCodePoint(parseInt(hex ?? decimal, hex ? 16 : 10)),
      )
    : text;
