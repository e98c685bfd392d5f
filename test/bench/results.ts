import type { AdminResult } from './admin.ts';
import type { ColdStart } from './cold-start/cold-start.ts';
import type { WarmResult } from './cold-start/warm-cpu.ts';
import type { ListingResult } from './listing/listing.ts';
import type { LoadResult } from './load.ts';
import type { Comparison } from './side-by-side.ts';

/** All that one run found. */
export interface Results {
  readonly listing: ListingResult;
  readonly coldStarts: readonly ColdStart[];
  readonly warmCpu: WarmResult;
  readonly sideBySide: readonly Comparison[];
  readonly load: LoadResult;
  readonly admin: AdminResult;
}

/** How, when and on what the run was made. */
export interface Circumstances {
  readonly command: string;
  readonly begun: Date;
  readonly minutes: number;
  /** In words. */
  readonly machine: string;
}
