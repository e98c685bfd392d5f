import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts the command, and ends it when the guard's standard input closes: either `stop` closed it, or the process that started the guard
 * is gone (after a `kill -9` it cannot clean up itself). Sends SIGTERM, then SIGKILL after 1.5 s.
 * `$1` is a file for the pid of the command, or empty.
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
  /** Ends the process and waits until it has ended. May be called again. */
  stop(): Promise<void>;
  /** Settles with the last output of the process when it has ended. */
  readonly ended: Promise<string>;
}

export interface GuardedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly pidFile?: string;
  /** What the process prints, on stdout or stderr, once it accepts connections. */
  readonly readyPattern: RegExp;
  readonly readyWithinMs: number;
}

export interface StartedProcess {
  readonly process: GuardedProcess;
  readonly ready: RegExpMatchArray;
}

/** The process ended, or was not ready in time. */
export class ProcessStartError extends Error {
  override readonly name = 'ProcessStartError';
  /** The end of the process's output. */
  readonly output: string;

  constructor(reason: string, output: string) {
    super(`${reason}${output ? `: ${output}` : ''}`);
    this.output = output;
  }
}

/**
 * Starts a process that never outlives this one, and waits for its ready line.
 * @throws ProcessStartError when it ends before that, or is not ready in time; in both cases it has ended
 */
export async function startGuarded(start: GuardedStart): Promise<StartedProcess> {
  const guard = spawn(
    'sh',
    ['-c', guardScript, 'guard', start.pidFile ?? '', start.command, ...start.args],
    {
      cwd: start.cwd,
      env: { ...process.env, ...start.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session of its own: Ctrl-C in the terminal reaches only the service, which ends the engine after its last request.
      detached: true,
    },
  );
  guard.stdin.on('error', () => undefined); // The guard may end before its input is closed.
  const output = new ProcessOutput(guard);
  const ended = new Promise<string>((settle) => {
    guard.once('error', (error) => settle(error.message));
    guard.once('close', () => settle(output.lastLines()));
  });
  const stop = async (): Promise<void> => {
    guard.stdin.end();
    await ended;
  };
  const ready = await Promise.race([
    output.match(start.readyPattern),
    timeout(start.readyWithinMs).then(
      () =>
        new ProcessStartError(
          `not ready after ${start.readyWithinMs / 1000} s`,
          output.lastLines(),
        ),
    ),
    ended.then((lastOutput) => new ProcessStartError('ended at once', lastOutput)),
  ]);
  if (ready instanceof ProcessStartError) {
    await stop();
    throw ready;
  }
  return { process: { stop, ended }, ready };
}

const timeout = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/** The end of what a process prints, on stdout and stderr. */
class ProcessOutput {
  readonly #streams: readonly NodeJS.ReadableStream[];
  #text = '';

  constructor({
    stdout,
    stderr,
  }: { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream }) {
    this.#streams = [stderr, stdout];
    for (const stream of this.#streams) {
      stream.on('data', (chunk: Buffer) => {
        this.#text = (this.#text + chunk.toString()).slice(-10_000);
      });
    }
  }

  lastLines(): string {
    return this.#text.trim().split('\n').slice(-3).join(' ').slice(-500);
  }

  /** Settles once the output matches. */
  match(pattern: RegExp): Promise<RegExpMatchArray> {
    return new Promise((settle) => {
      for (const stream of this.#streams) {
        stream.on('data', () => {
          const match = this.#text.match(pattern);
          if (match) settle(match);
        });
      }
    });
  }
}
