import { spawn } from 'node:child_process';

/**
 * Starts the command, and ends it when the guard's standard input closes: by `stop`, or because the process that started it
 * is gone, however it went (a `kill -9` gives it no chance to tidy up). SIGTERM first, SIGKILL after a second and a half.
 * `$1` is a file that gets the command's pid, or nothing.
 */
const guardScript = `
exec 3<&0
pid_file=$1; shift
"$@" </dev/null 3<&- &
guarded=$!
[ -z "$pid_file" ] || echo $guarded > "$pid_file"
( read -r _ <&3
  kill -TERM $guarded
  tenths=0
  while kill -0 $guarded && [ $tenths -lt 15 ]; do sleep 0.1; tenths=$((tenths + 1)); done
  kill -KILL $guarded ) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait $guarded
status=$?
kill $watcher 2>/dev/null
exit $status
`;

export interface GuardedProcess {
  /** Ends the process and waits until it is gone. May be called again. */
  stop(): Promise<void>;
  /** Settles when the process has ended, with what it last said on stderr or stdout. */
  readonly ended: Promise<string>;
}

export interface GuardedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly pidFile?: string;
  /** What it says, on stdout or stderr, once the process accepts connections. */
  readonly readyPattern: RegExp;
  readonly readyWithinMs: number;
}

export interface Started {
  readonly process: GuardedProcess;
  readonly ready: RegExpMatchArray;
}

/** The process ended, or said nothing, before it was ready. `said` is the end of its own output. */
export class ProcessStartError extends Error {
  override readonly name = 'ProcessStartError';
  readonly said: string;

  constructor(reason: string, said: string) {
    super(`${reason}${said ? `: ${said}` : ''}`);
    this.said = said;
  }
}

/** Starts a process that never outlives this one, and waits for its ready line.
 *  @throws NotReady when it ends before, or is not ready in time (it is ended then). */
export async function startGuarded(start: GuardedStart): Promise<Started> {
  const guard = spawn('sh', ['-c', guardScript, 'guard', start.pidFile ?? '', start.command, ...start.args], {
    cwd: start.cwd,
    env: { ...process.env, ...start.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C in the terminal reaches the service alone, which then ends the engine after its last request.
    detached: true,
  });
  guard.stdin.on('error', () => undefined); // The guard may be gone before its input is closed.

  let said = '';
  const lastWords = (): string => said.trim().split('\n').slice(-3).join(' ').slice(-500);
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-10_000);
  };
  guard.stderr.on('data', listen);
  guard.stdout.on('data', listen);
  const ended = new Promise<string>((settle) => {
    guard.once('error', (error) => settle(error.message));
    guard.once('close', () => settle(lastWords()));
  });
  const stop = async (): Promise<void> => {
    guard.stdin.end();
    await ended;
  };

  const ready = await new Promise<RegExpMatchArray | ProcessStartError>((settle) => {
    const tooLate = (): void => settle(new ProcessStartError(`not ready after ${start.readyWithinMs / 1000} s`, lastWords()));
    setTimeout(tooLate, start.readyWithinMs).unref();
    for (const stream of [guard.stdout, guard.stderr]) {
      stream.on('data', () => {
        const match = said.match(start.readyPattern);
        if (match) settle(match);
      });
    }
    void ended.then((words) => settle(new ProcessStartError('ended at once', words)));
  });
  if (ready instanceof ProcessStartError) {
    await stop();
    throw ready;
  }
  return { process: { stop, ended }, ready };
}
