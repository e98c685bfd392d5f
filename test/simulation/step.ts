/** A step that may be taken now: its turn among the others is a choice. */
export interface Step {
  readonly what: string;
  readonly take: () => void;
  /** What it reads and writes; undefined where that is not known. */
  readonly touches?: readonly Touch[] | undefined;
}

/** A place that a step reads or writes: without a part, all of it. */
export interface Touch {
  readonly where: string;
  readonly part?: string;
  readonly isWrite: boolean;
}
