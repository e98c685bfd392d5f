declare module 'saxen' {
  type Decode = (text: string) => string;
  /** The part of its interface that we call; the package has no types. */
  export class Parser {
    on(
      event: 'openTag',
      handler: (name: string, attributes: () => Record<string, string>, decode: Decode) => void,
    ): this;
    on(event: 'closeTag', handler: (name: string) => void): this;
    on(event: 'text' | 'cdata', handler: (text: string) => void): this;
    parse(xml: string): unknown;
  }
}
