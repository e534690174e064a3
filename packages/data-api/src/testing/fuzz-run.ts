/** How long a fuzz is and where it starts: `npm run fuzz` asks for more, and may give the seed of a run that failed. */
export interface FuzzRun {
  count: number;
  seed: number;
  /** Says something in a long run; `npm test` is quiet. */
  say(text: string): void;
  /** Says now and then how many are done. */
  progress(done: number): void;
}

/** Requests between two lines of progress. */
const progressEvery = 10_000;

export function fuzzRun(usualCount: number): FuzzRun {
  const { FUZZ_RUNS: count, FUZZ_SEED: seed } = process.env;
  const say = (text: string) => {
    if (count !== undefined) process.stderr.write(`${text}\n`);
  };
  return {
    count: Number(count ?? usualCount),
    seed: Number(seed ?? Math.floor(Math.random() * 2 ** 31)),
    say,
    progress: (done) => {
      if (done % progressEvery === 0) say(`${done} requests`);
    },
  };
}
