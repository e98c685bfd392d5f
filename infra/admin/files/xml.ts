export type Attributes = Readonly<Record<string, string | undefined>>;

/** A tag with the text that follows it. Its attributes are not parsed until they are needed. */
export interface Tag {
  readonly name: string;
  readonly attributes: string;
  readonly isClosing: boolean;
  readonly text: string;
}

/**
 * Matches a tag, without the prefix that programs choose, and the text that follows. A quoted attribute can contain `>`, but XML allows no
 * `<` within a tag: so a tag without an end costs no more than its own text.
 */
const tag =
  /<(\/?)(?:[^\s/<>:]+:)?([^\s/<>]+)(?=[\s/>])([^<>"']*(?:(?:"[^<"]*"|'[^<']*')[^<>"']*)*)>([^<]*)/g;

/** Reads the tags of an XML file. A self-closing tag is reported twice, as opened and closed. */
export function eachTag(xml: string, read: (tag: Tag) => void): void {
  // Large sheets have millions of tags: a generator would take twice as long.
  const found = new RegExp(tag);
  for (let match = found.exec(xml); match; match = found.exec(xml)) {
    const [, slash, name = '', attributes = '', text = ''] = match;
    const isAlone = attributes.endsWith('/');
    read({ name, attributes, isClosing: slash !== '', text: isAlone ? '' : text });
    if (isAlone) read({ name, attributes, isClosing: true, text });
  }
}

const attribute = /\b(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export function attributesIn(text: string): Attributes {
  const attributes: Record<string, string> = {};
  attribute.lastIndex = 0;
  for (let match = attribute.exec(text); match; match = attribute.exec(text)) {
    const [, name = '', double, single = ''] = match;
    attributes[name] = decoded(double ?? single);
  }
  return attributes;
}

/** The attributes of each tag of a name. */
export function attributesOf(xml: string, name: string): Attributes[] {
  const found: Attributes[] = [];
  eachTag(xml, (tag) => {
    if (tag.name === name && !tag.isClosing) found.push(attributesIn(tag.attributes));
  });
  return found;
}

const entities: Attributes = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) =>
        name
          ? (entities[name] ?? all)
          : String.fromCodePoint(parseInt(hex ?? decimal, hex ? 16 : 10)),
      )
    : text;
