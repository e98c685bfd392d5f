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

/**
 * A comment, or a section of text in which `<` is no tag. Neither can contain the start of another one, which XML would allow: so one without
 * an end costs no more than its own text.
 */
const section =
  /<!--(?:[^<-]|-(?!->)|<(?!!--))*-->|<!\[CDATA\[((?:[^<\]]|\](?!\]>)|<(?!!\[CDATA\[))*)\]\]>/g;
const withoutSections = (xml: string): string =>
  xml.includes('<!')
    ? xml.replace(section, (_, text = '') => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
    : xml;

/** Reads the tags of an XML file. A self-closing tag is reported twice, as opened and closed. */
export function eachTag(xml: string, read: (tag: Tag) => void): void {
  // Large sheets have millions of tags: a generator would take twice as long.
  const found = new RegExp(tag);
  const plain = withoutSections(xml);
  for (let match = found.exec(plain); match; match = found.exec(plain)) {
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

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
        const code = name ? Number.NaN : parseInt(hex ?? decimal, hex ? 16 : 10);
        return code <= 0x10ffff ? String.fromCodePoint(code) : (entities.get(name) ?? all);
      })
    : text;
