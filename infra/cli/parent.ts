const lookMs = 250;

/**
 * Calls back on each termination signal, and when the npm that started this process is gone, because a killed npm passes on no signal.
 * Without npm, it calls back only on a signal: a program that was started in the background may outlive its shell.
 */
export function whenToldToEnd(callBack: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, callBack);
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callBack();
  }, lookMs);
  timer.unref();
}
