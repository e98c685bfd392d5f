/** A defect that is planted in the source on its way into the bundle; no file changes. */
export interface PlantedBug {
  readonly name: string;
  /** Relative to the project's folder. */
  readonly file: string;
  /** Text that the file has once. */
  readonly before: string;
  readonly after: string;
  /** What goes wrong then. */
  readonly how: string;
  /** The scenario that is run first, for it is known to find the bug. */
  readonly foundBy?: string;
}
