/**
 * For a process that runs histories: what they leave behind is garbage soon, and with more room for the young, less of it is looked at.
 */
export const v8Flags: readonly string[] = ['--max-semi-space-size=64'];
