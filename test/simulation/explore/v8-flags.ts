/**
 * For a process that runs histories. Much of its code runs a few times: compiled at once to plain machine code it is faster than interpreted
 * first. What it leaves behind is garbage soon: with more room for the young, less of it is looked at.
 */
export const v8Flags: readonly string[] = ['--always-sparkplug', '--max-semi-space-size=64'];
