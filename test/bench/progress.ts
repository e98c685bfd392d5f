/** Says on stderr what is being measured, with the seconds since the start, so that stdout keeps the tables alone. */
export function progress(sentence: string): void {
  process.stderr.write(
    `${`${(performance.now() / 1000).toFixed(0)} s`.padStart(6)}  ${sentence}\n`,
  );
}
