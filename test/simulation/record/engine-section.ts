import { byName, sum, table } from './markdown.ts';

/** What `npm run soak -- --record FILE` measured on a real engine. */
export interface EngineRecord {
  readonly engine: string;
  readonly command: string;
  readonly commit: string;
  readonly seconds: number;
  readonly histories: number;
  readonly requests: number;
  readonly calls: number;
  readonly leads: number;
  readonly violations: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Functions that died, by the call at which they did. */
  readonly deaths: Readonly<Record<string, number>>;
  /** Deaths of the tests of deaths, by what died and where. */
  readonly deathsAt: readonly (readonly [scenario: string, site: string, deaths: number])[];
  readonly limits: readonly (readonly [
    test: string,
    limit: number,
    passed: number,
    repeated: number,
  ])[];
  readonly fuzz: { readonly seed: number; readonly requests: number; readonly findings: number };
}

/** The part of the page that tells of a real engine. */
export function engineSection(record: EngineRecord): string {
  const { engine, command, commit, limits, deathsAt, fuzz } = record;
  return `## On a real engine

The built functions behind the local gateway, on ${engine}, at commit ${commit}. An engine shows what a model may have wrong: its wire
format, its conditions, connections that break, processes that are killed. The order of calls is the machine's.

\`\`\`
${command}
\`\`\`

${table(
  ['figure', 'measured'],
  [
    ['random histories', record.histories],
    ['seconds', Math.round(record.seconds)],
    ['requests', record.requests],
    ['DynamoDB calls', record.calls],
    ['faults', sum(record.faults)],
    ['deaths of all functions', sum(record.deaths)],
    ['leads judged', record.leads],
    ['**violations**', `**${record.violations}**`],
  ],
)}

${table(['fault injected', 'times'], byName(record.faults))}

### Death at every step

Each write is killed at every DynamoDB call it makes, before the call reaches the table and after it was applied, and asked again. The
retry's answer is right and the effect is there exactly once. A note has no idempotency key: its retry writes it again.

${table(['what died', 'at', 'deaths'], deathsAt)}

### Limits, exactly

Eight processes use one key, or one organization with a key each, as fast as they can. A call that the SDK repeated may have taken a token
that nobody got, so as many may be missing. Never one more passes.

${table(['test', 'limit', 'passed', 'repeated calls'], limits)}

### Fuzz

Requests made from \`openapi.json\` (valid, almost valid, hostile), and every answer held to it:
\`npm run fuzz -- --requests ${fuzz.requests} --seed ${fuzz.seed} --engine ${engine}\`.

${table(['requests', 'findings', 'seed'], [[fuzz.requests, fuzz.findings, String(fuzz.seed)]])}
`;
}
