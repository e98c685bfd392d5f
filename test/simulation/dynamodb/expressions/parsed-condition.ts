import type { Operand } from './parser.ts';
import type { UsedPlaceholders } from './scope.ts';

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A condition, key condition or filter expression, read. */
export type Condition =
  | { readonly kind: 'and'; readonly of: readonly Condition[] }
  | { readonly kind: 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | {
      readonly kind: 'between';
      readonly value: Operand;
      readonly low: Operand;
      readonly high: Operand;
    }
  | { readonly kind: 'in'; readonly value: Operand; readonly among: readonly Operand[] }
  | { readonly kind: 'function'; readonly name: string; readonly operands: readonly Operand[] };

export interface ParsedCondition extends UsedPlaceholders {
  readonly condition: Condition;
  /** Attributes that its paths begin with, as they are written. */
  readonly attributes: ReadonlySet<string>;
}
