import * as v from 'valibot';
import type { ItemsOf, ReferenceLists } from '../../shared/contract/types.ts';
import type { OperationDescription } from './endpoint-description.ts';
import { namedRef } from './response-schemas.ts';

/** The common parts of the reference lists' descriptions (contract, section 4.7). */

export const listOf = <const Item extends v.GenericSchema>(item: Item) =>
  v.strictObject({ items: v.array(item) });

export const namedRefs = listOf(namedRef);

interface ReferenceList<Name extends keyof ReferenceLists>
  extends Pick<OperationDescription, 'summary'> {
  /** What the list contains, in the middle of a sentence. */
  readonly contents: string;
  /** Further sentences. */
  readonly more?: string;
  readonly schema: v.GenericSchema<unknown, ItemsOf<ReferenceLists[Name]>>;
  /** The schemas of the list and of its items, by their names in the document. */
  readonly schemas: NonNullable<OperationDescription['schemas']>;
  /** The first items become the example: enough to show their shape. */
  readonly items: readonly ReferenceLists[Name][];
}

export const referenceList = <Name extends keyof ReferenceLists>({
  summary,
  contents,
  more,
  schema,
  schemas,
  items,
}: ReferenceList<Name>): OperationDescription => ({
  tag: 'Reference lists',
  summary,
  description: [`Returns ${contents}.`, more ?? []].flat().join(' '),
  responses: {
    200: {
      description: `${contents[0]?.toUpperCase()}${contents.slice(1)}.`,
      schema,
      examples: { 'some items': { items: items.slice(0, 3) } },
    },
  },
  schemas,
  errors: {},
});
