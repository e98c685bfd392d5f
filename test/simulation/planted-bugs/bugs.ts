import { bugsOfCaptures } from './bugs/of-captures.ts';
import { bugsOfEdits } from './bugs/of-edits.ts';
import { bugsOfEnquiries } from './bugs/of-enquiries.ts';
import { bugsOfErasedPeople } from './bugs/of-erased-people.ts';
import { bugsOfErasures } from './bugs/of-erasures.ts';
import { bugsOfImports } from './bugs/of-imports.ts';
import { bugsOfQueries } from './bugs/of-queries.ts';
import { bugsOfReads } from './bugs/of-reads.ts';
import { bugsOfRemovals } from './bugs/of-removals.ts';
import { bugsOfRequests } from './bugs/of-requests.ts';
import { bugsOfWrites } from './bugs/of-writes.ts';
import type { PlantedBug } from './planted-bug.ts';

export const plantedBugs: readonly PlantedBug[] = [
  ...bugsOfRequests,
  ...bugsOfWrites,
  ...bugsOfCaptures,
  ...bugsOfReads,
  ...bugsOfQueries,
  ...bugsOfErasures,
  ...bugsOfErasedPeople,
  ...bugsOfImports,
  ...bugsOfRemovals,
  ...bugsOfEnquiries,
  ...bugsOfEdits,
];
