/**
 * The memory limits of a function's process. Without them, V8 and the C library keep memory that the function does not need: 200 to 260 MB
 * after 1,000 to 4,000 captures, of which 15 MB are reachable objects (test/proof/bench/PROFILE.md, "Memory of a function").
 */

/** Young objects take up to three times this size. 4 MB would save about 5 % of a request's CPU time, but use 11 MB more. */
export const semiSpaceMb = 2;
/** The larger the limit, the faster V8 lets the heap grow. `list-leads` answered full pages of leads of 300 KB with 32 MB. */
const oldSpaceMbMax = 256;

/** The part of a function's memory that its objects may use. Node.js, code, and buffers outside the heap need the rest. */
export const oldSpaceMb = (memoryMb: number): number =>
  Math.min(oldSpaceMbMax, Math.floor(memoryMb / 2));

/**
 * Environment variables of a function. Lambda's start script sets both of V8's sizes, unless NODE_OPTIONS names one of them. V8's default
 * would then apply to the other, so this sets both.
 */
export const memoryVariables = (memoryMb: number) => ({
  NODE_OPTIONS: `--max-semi-space-size=${semiSpaceMb} --max-old-space-size=${oldSpaceMb(memoryMb)}`,
  // Otherwise, each V8 thread would keep freed memory in its own arena.
  MALLOC_ARENA_MAX: '1',
});

export const memoryMbDefault = 1024;
/** The quota of a new account for the memory of a function. */
export const memoryMbMax = 3008;
