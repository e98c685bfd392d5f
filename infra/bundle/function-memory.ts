/**
 * The memory limits of a function's process. Without them, V8 and the C library keep memory that the function does not need: 150 to 260 MB
 * after a few thousand requests, of which 15 MB are reachable objects (test/bench/PROFILE.md, "Memory of a function").
 */

/** V8 has three semi-spaces for young objects. 4 MB each would save about 5 % of a request's processor time, and keep 20 MB more. */
export const semiSpaceMb = 2;
/** V8 lets the heap grow faster, the larger its limit is. A function's objects never come near this limit. */
export const oldSpaceMbMax = 256;

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
