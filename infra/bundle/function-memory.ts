/**
 * The memory limits of a function's process. Without them, V8 and the C library keep memory that the function does not need: 200 to 260 MB
 * after 1,000 to 4,000 captures, of which 15 MB are reachable objects (test/proof/bench/PROFILE.md, "Memory of a function").
 */

/** Young objects take up to three times this size. 4 MB would save about 5 % of a request's processor time, and keep 11 MB more. */
export const semiSpaceMb = 2;
/** V8 lets the heap grow faster, the larger its limit is. `list-leads` answered full pages of leads of 300 KB with 32 MB. */
const oldSpaceMbMax = 256;

/** What a function's own memory leaves for its objects; the rest is Node.js, its code, and buffers outside the heap. */
export const oldSpaceMb = (memoryMb: number): number =>
  Math.min(oldSpaceMbMax, Math.floor(memoryMb / 2));

/**
 * Environment variables of a function. Lambda's start script sets both sizes of V8 from the function's memory unless NODE_OPTIONS names
 * one of them; then V8's own default would apply to the other, so both are here.
 */
export const memoryVariables = (memoryMb: number) => ({
  NODE_OPTIONS: `--max-semi-space-size=${semiSpaceMb} --max-old-space-size=${oldSpaceMb(memoryMb)}`,
  // Each thread of V8 would keep freed memory in an arena of its own.
  MALLOC_ARENA_MAX: '1',
});

export const memoryMbDefault = 1024;
/** The quota of a new account for the memory of a function. */
export const memoryMbMax = 3008;
