import type { Scenario } from './scenario.ts';
import { scenariosBetweenCalls } from './scenarios/between-calls.ts';
import { scenariosOfCaptures } from './scenarios/captures.ts';
import { scenariosOfEdits } from './scenarios/edits.ts';
import { scenariosOfErasures } from './scenarios/erasures.ts';
import { scenariosOfFaults } from './scenarios/faults.ts';
import { scenariosOfIdsAgain } from './scenarios/ids-again.ts';
import { scenariosOfImports } from './scenarios/imports.ts';
import { longScenarios } from './scenarios/long-time.ts';
import { scenariosOfReads } from './scenarios/reads.ts';
import { scenariosOfRemovals } from './scenarios/removals.ts';
import { scenariosOfRequests } from './scenarios/requests.ts';
import { scenariosOfWrites } from './scenarios/writes.ts';

/** Every scenario passes on the unchanged code. */
export const scenarios: readonly Scenario[] = [
  ...scenariosOfWrites,
  ...scenariosOfFaults,
  ...scenariosBetweenCalls,
  ...scenariosOfCaptures,
  ...scenariosOfRequests,
  ...scenariosOfReads,
  ...scenariosOfErasures,
  ...scenariosOfImports,
  ...scenariosOfIdsAgain,
  ...scenariosOfRemovals,
  ...scenariosOfEdits,
  ...longScenarios,
];
