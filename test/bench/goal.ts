/** A goal of speed or cost, with what it was when the goal was set. */
export interface Goal {
  readonly what: string;
  readonly was: string;
  readonly goal: string;
  readonly now: string;
  readonly isMet: boolean;
  /** The goal allows a proof that the figure cannot be lower. */
  readonly isProved?: boolean;
  /** Why it is missed, or what the figure leaves out. */
  readonly why: string;
}
