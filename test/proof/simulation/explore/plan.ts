import { Random } from '../../../support/generated/random.ts';
import { organizationIds } from '../organizations.ts';

/** What a random history is made of. It follows from its seed; a smaller one, to show a violation by, follows from a larger. */
export interface Plan {
  readonly seed: string;
  readonly clients: readonly PlannedClient[];
  /** The share of calls that fail. */
  readonly faultChance: number;
  /** While they last, most calls fail in one way. */
  readonly outages: readonly Outage[];
  /** How many people there are, of whom all clients speak, and whether they hardly pause. */
  readonly people: number;
  readonly isHasty: boolean;
  /** The longest that a call travels, in milliseconds: near a second, callers give up. */
  readonly latencyMaxMs: number;
  /** The share of requests, or answers, that are lost between caller and gateway. */
  readonly gatewayFaultChance: number;
  readonly staleChance: number;
  readonly unprocessedChance: number;
  readonly reorderChance: number;
  readonly commitsItemByItem: boolean;
  /** How often a transaction locks its items in two groups, or for longer. */
  readonly overlapChance: number;
  readonly pageShare: number;
  readonly clockSkewMs: number;
  readonly coldStartChance: number;
  /** Whether a second version of the code answers too. */
  readonly hasTwoVersions: boolean;
  /** Whether the hourly limits are so low that they are met. */
  readonly hasLowLimits: boolean;
}

const outageFaults = [
  'silence',
  'stalled body',
  'throttled',
  'throttled inside',
  'lost after',
  'internal error after',
] as const;

export interface Outage {
  /** After the beginning. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly fault: (typeof outageFaults)[number];
}

export type ClientKind = 'form backend' | 'integration' | 'sync job' | 'administrator';

export interface PlannedClient {
  readonly name: string;
  readonly kind: ClientKind;
  readonly organizationId: number;
  readonly requests: number;
}

const kinds: readonly ClientKind[] = [
  'form backend',
  'form backend',
  'form backend',
  'integration',
  'integration',
  'integration',
  'sync job',
  'administrator',
];

export function planOf(seed: string): Plan {
  const random = new Random(`plan ${seed}`);
  const count = random.between(6, 12);
  // Mostly one organization has most of the clients: they are to meet.
  const share = random.pick([0.5, 0.75, 0.9]);
  const clients = Array.from({ length: count }, (_, at): PlannedClient => {
    const kind = random.pick(kinds);
    return {
      name: `${kind} ${at}`,
      kind,
      organizationId: random.chance(share) ? organizationIds[0] : organizationIds[1],
      requests: random.between(1, 12),
    };
  });
  return {
    seed,
    clients,
    faultChance: random.pick([0, 0.01, 0.03, 0.08, 0.2]),
    outages: random.chance(0.2) ? [outageOf(random)] : [],
    people: random.pick([1, 2, 4, 7]),
    isHasty: random.chance(0.3),
    latencyMaxMs: random.pick([4.5, 4.5, 4.5, 100, 600]),
    gatewayFaultChance: random.pick([0, 0.05]),
    staleChance: random.pick([0, 0.5]),
    unprocessedChance: random.pick([0, 0.2]),
    reorderChance: random.pick([0, 0.3]),
    commitsItemByItem: random.chance(0.4),
    pageShare: random.pick([1, 0.001, 0.0003]),
    clockSkewMs: random.pick([0, 500]),
    coldStartChance: random.pick([0, 0, 0.2]),
    hasTwoVersions: random.chance(0.3),
    hasLowLimits: random.chance(0.15),
    overlapChance: random.pick([0, 0.3]),
  };
}

function outageOf(random: Random): Outage {
  const fromMs = random.between(0, 500);
  return {
    fromMs,
    untilMs: fromMs + random.between(500, 15_000),
    fault: random.pick(outageFaults),
  };
}
