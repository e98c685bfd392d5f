import type { ColdStart } from '../cold-start/cold-start.ts';
import type { ListingResult } from '../listing/listing.ts';
import type { Comparison } from '../side-by-side.ts';
import { shown } from '../statistics.ts';
import { barPlot } from './bars.ts';
import { linePlot } from './lines.ts';

/** A drawing, by the name of its file. */
export interface Plot {
  readonly file: string;
  readonly about: string;
  readonly svg: string;
}

const drawn = [
  'first page',
  'stage',
  'field filter, 1 in 10',
  'changed: 10',
  'changed: 10,000',
  'field filter, 1 in 10,000',
];

/** Read units of a page against the organization's size: flat is the aim. @param budgetUnits what 4 MB are in read units */
export function listingPlot({ pages }: ListingResult, budgetUnits: number): Plot {
  const about = 'What a page of a list costs, against the size of the organization';
  const lines = drawn.map((question, colour) => ({
    name: question,
    colour,
    points: pages
      .filter((page) => page.question === question)
      .map(({ leads, readUnits }) => [leads, readUnits] as const),
  }));
  const svg = linePlot({
    title: 'What a page costs, against the size of the organization',
    subtitle:
      'Read units of one page of 25 leads, by what the list asks for; both axes logarithmic',
    xName: 'leads in the organization',
    yName: 'read units',
    lines,
    limit: { value: budgetUnits, name: 'budget of a page: 4 MB' },
  });
  return { file: 'listing.svg', about, svg };
}

const legend = [
  { colour: 0, name: 'this service' },
  { colour: 1, name: 'assembled from the usual libraries' },
];

export function roundTripsPlot(comparisons: readonly Comparison[]): Plot {
  const groups = comparisons.map(({ request, service, assembled }) => ({
    name: request,
    bars: [service, assembled].map(({ roundTrips, latencyMs }, colour) => ({
      colour,
      value: roundTrips,
      label: `${roundTrips} (${shown(latencyMs)} ms)`,
    })),
  }));
  const svg = barPlot({
    title: 'Round trips to DynamoDB per request',
    subtitle:
      'Calls that waited for one another; in brackets the latency in this run, each call taking at least 4 ms',
    groups,
    legend,
  });
  return {
    file: 'round-trips.svg',
    about: 'Round trips per request, this service and the assembled stack',
    svg,
  };
}

export function costPlot(comparisons: readonly Comparison[]): Plot {
  const groups = comparisons.map(({ request, service, assembled }) => ({
    name: request,
    bars: [service, assembled].map(({ dollars }, colour) => ({
      colour,
      value: dollars.total,
      label: `$${dollars.total.toFixed(2)} ($${dollars.dynamodb.toFixed(2)})`,
    })),
  }));
  const svg = barPlot({
    title: 'Dollars per million requests',
    subtitle:
      'DynamoDB on demand, Lambda and API Gateway at list prices; in brackets the part that is DynamoDB',
    groups,
    legend,
  });
  return {
    file: 'cost-per-million.svg',
    about: 'Dollars per million requests, this service and the assembled stack',
    svg,
  };
}

export function coldStartPlot(coldStarts: readonly ColdStart[]): Plot {
  const groups = coldStarts
    .filter(({ name }) => name !== 'an empty handler')
    .map(({ name, share, goal, bytes }) => ({
      name,
      bars: [
        {
          colour: goal === undefined ? 1 : 0,
          value: share,
          label: `${share.toFixed(2)} (${shown(bytes / 1000, 0)} KB)`,
        },
      ],
      goal,
    }));
  const svg = barPlot({
    title: 'Cold start: import and first call of DynamoDB',
    subtitle:
      'Processor time, as a share of a naively built bundle that holds the DynamoDB client alone',
    groups,
    legend: [
      { colour: 0, name: 'a function' },
      { colour: 1, name: 'the client alone' },
    ],
    goalName: 'goal',
  });
  return {
    file: 'cold-start.svg',
    about: 'Cold start of every function against the DynamoDB client alone',
    svg,
  };
}
