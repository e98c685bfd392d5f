import type { Scenario } from './scenario.ts';
import { scenariosOfCaptures } from './scenarios/of-captures.ts';
import { scenariosOfEdits } from './scenarios/of-edits.ts';
import { scenariosOfEnquiries } from './scenarios/of-enquiries.ts';
import { scenariosOfErasedPeople } from './scenarios/of-erased-people.ts';
import { scenariosOfErasures } from './scenarios/of-erasures.ts';
import { scenariosOfImports } from './scenarios/of-imports.ts';
import { scenariosOfQueries } from './scenarios/of-queries.ts';
import { scenariosOfReads } from './scenarios/of-reads.ts';
import { scenariosOfRemovals } from './scenarios/of-removals.ts';
import { scenariosOfRequests } from './scenarios/of-requests.ts';
import { scenariosOfWalks } from './scenarios/of-walks.ts';
import { scenariosOfWrites } from './scenarios/of-writes.ts';

/** Every scenario passes on the unchanged code. */
export const scenarios: readonly Scenario[] = [
  ...scenariosOfWrites,
  ...scenariosOfCaptures,
  ...scenariosOfRequests,
  ...scenariosOfReads,
  ...scenariosOfQueries,
  ...scenariosOfWalks,
  ...scenariosOfErasures,
  ...scenariosOfErasedPeople,
  ...scenariosOfImports,
  ...scenariosOfRemovals,
  ...scenariosOfEnquiries,
  ...scenariosOfEdits,
];
