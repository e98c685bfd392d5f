/** `npx node test/bench/assembled/main.ts`: writes the same requests' costs by this service and by the assembled stack to RESULTS.md. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asMarkdown, shown } from '../tables.ts';
import { measureSideBySide } from './side-by-side.ts';

const pair = (a: number, b: number): string => `${shown(a)} / ${shown(b)}`;
process.env.DYNAMODB_TIMEOUT_MS ??= '20000';
const comparisons = await measureSideBySide(60);
const table = {
  title: `This service / the assembled stack, on ${new Date().toISOString().slice(0, 10)}`,
  note: 'Medians; write units are those of the table and, after the plus, of its indexes.',
  rows: comparisons.map(({ request, service: a, assembled: b }) => ({
    request,
    'round trips': pair(a.roundTrips, b.roundTrips),
    calls: pair(a.calls, b.calls),
    'latency ms': pair(a.latencyMs, b.latencyMs),
    ratio: (a.latencyMs / b.latencyMs).toFixed(2),
    'CPU ms': pair(a.cpuMs, b.cpuMs),
    'write units': `${a.writeUnits}+${a.indexWriteUnits} / ${b.writeUnits}+${b.indexWriteUnits}`,
    'read units': pair(a.readUnits, b.readUnits),
    '$ per million': `${a.dollars.total.toFixed(2)} / ${b.dollars.total.toFixed(2)}`,
  })),
};
await writeFile(join(import.meta.dirname, 'RESULTS.md'), `${asMarkdown(table)}\n`);
process.exit(0);
