import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it started have used, of the processes whose name matches and of the others. Linux only. */
export interface ProcessorTime {
  readonly matchingMs: number;
  readonly otherMs: number;
}

/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;

/** Processor time so far of a process and its descendants. @param name of the processes that are counted apart, such as the engine */
export function processorTimeOf(pid: number, name: string): ProcessorTime {
  let matchingMs = 0;
  let otherMs = 0;
  for (const { comm, ms } of treeOf(pid)) {
    if (comm === name) matchingMs += ms;
    else otherMs += ms;
  }
  return { matchingMs, otherMs };
}

/** Processor time so far of a process's first thread, in milliseconds: the gateway's, in the service. */
export function firstThreadMs(pid: number): number {
  return msOf(readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8'));
}

/** Memory of a process and its worker threads. */
export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly comm: string;
  readonly ms: number;
}

function treeOf(root: number): ProcessEntry[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(entryOf);
  const tree = all.filter(({ pid }) => pid === root);
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one.pid));
  return tree;
}

/** Of `/proc/<pid>/stat`: the name is in parentheses, the parent is field 4, user and system time are fields 14 and 15. */
function entryOf(pid: string): ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const comm = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [{ pid: Number(pid), parent: Number(fields[1]), comm, ms: msOf(stat) }];
  } catch {
    return []; // it has ended meanwhile
  }
}

function msOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
