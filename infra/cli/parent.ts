const lookMs = 250;

/**
 * Calls back once when npm, which started this process, is gone even if it was killed and so could pass on no signal. Does nothing without
 * npm: a program that was started in the background may outlive its shell.
 */
export function whenNpmIsGone(callBack: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callBack();
  }, lookMs);
  timer.unref();
}
