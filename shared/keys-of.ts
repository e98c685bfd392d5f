/** The keys of an object that has no others than its type says, such as a table of rules by name. */
export const keysOf = <T extends object>(table: T): (keyof T & string)[] =>
  Object.keys(table) as (keyof T & string)[];
