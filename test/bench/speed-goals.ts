import type { Goal } from './goal.ts';
import type { Results } from './results.ts';
import { median, shown } from './statistics.ts';

const noisy = 'other work on the machine: ratios within one run vary by a tenth';

function coldGoal({ coldStarts }: Results, phones: boolean): Goal {
  const limit = 0.8;
  const shares = coldStarts.flatMap(({ readsPhones, sameCallsShare }) =>
    readsPhones === phones && sameCallsShare !== undefined ? [sameCallsShare] : [],
  );
  return {
    what: `cold: import and first request of functions ${phones ? 'with' : 'without'} phones, against a naive bundle making the same calls`,
    was: phones ? '0.78 to 0.95' : '0.69 to 0.83',
    goal: `≤ ${shown(limit)}`,
    now: `${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`,
    isMet: Math.max(...shares) <= limit,
    why: noisy,
  };
}

function warmGoals({ warmCpu: { functions, memory } }: Results): Goal[] {
  const shares = functions.map(({ share }) => share);
  const clientMs = median(functions.map(({ calls, bareMs, rawMs }) => (bareMs - rawMs) / calls));
  const rawShare = median(functions.map(({ bareMs, rawMs }) => bareMs / rawMs));
  return [
    {
      what: 'warm processor time, against a bare handler making the same calls',
      was: '1.06 to 1.43',
      goal: '≤ 1.30',
      now: `${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`,
      isMet: Math.max(...shares) <= 1.3,
      why: noisy,
    },
    {
      what: "the bare handler, against signing and sending the same requests without the SDK's client",
      was: 'not measured',
      goal: 'measured',
      now: `× ${rawShare.toFixed(2)}: the client costs ${clientMs.toFixed(2)} ms a call`,
      isMet: true,
      why: '',
    },
    {
      what: `memory of a function over ${shown(memory.requests)} captures, MB`,
      was: '145 to 258',
      goal: 'flat, ≤ 120',
      now: `${memory.fifthMb.toFixed(0)} after a fifth, ${memory.peakMb.toFixed(0)} at most`,
      isMet: memory.peakMb <= 120 && memory.peakMb <= 1.1 * memory.fifthMb,
      why: 'PROFILE.md, "Memory of a function"',
    },
  ];
}

function loadGoal({ load }: Results): Goal {
  const {
    perSecond = 0,
    p99Ms = 0,
    serviceCpuMs = 0,
    gatewayCpuMs = 0,
    engineCpuMs = 0,
    clientCpuMs = 0,
  } = load.rounds.find(({ connections }) => connections === 8) ?? {};
  const functionsCpuMs = serviceCpuMs - gatewayCpuMs;
  return {
    what: 'local service on 8 connections: requests a second, p99 ms',
    was: '250, 70',
    goal: '≥ 600, ≤ 40',
    now: `${shown(perSecond)}, ${shown(p99Ms)}`,
    isMet: perSecond >= 600 && p99Ms <= 40,
    why: `processor time of a request, ms: functions ${functionsCpuMs.toFixed(1)}, gateway ${gatewayCpuMs.toFixed(1)}, engine ${engineCpuMs.toFixed(1)}, client ${clientCpuMs.toFixed(1)}; two cores have 3.3 for each of 600 a second (PROFILE.md, "The local service")`,
  };
}

/** What was to take less processor time. */
export const speedGoals = (results: Results): Goal[] => [
  coldGoal(results, false),
  coldGoal(results, true),
  ...warmGoals(results),
  loadGoal(results),
];
