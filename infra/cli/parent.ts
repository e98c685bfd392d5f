const lookMs = 250;

/**
 * Calls back at each signal to end, and when npm, which started this process, is gone: npm may have been killed, and then could pass on no
 * signal. Without npm, only at a signal: a program that was started in the background may outlive its shell.
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
