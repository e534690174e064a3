import { setImmediate as othersTurn } from "node:timers/promises";

/** How long everything else that the process does may wait, in milliseconds. */
const longestMs = 10;

/** A part of long work that is done without a break: `if (turn.isOver) await turn.end()`. */
export class Turn {
  #begun: number;
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#begun = now();
  }

  /** Everything else has waited long enough. */
  get isOver(): boolean {
    return this.#now() - this.#begun >= longestMs;
  }

  /** Everything else has its turn; then the next one begins. */
  async end(): Promise<void> {
    await othersTurn();
    this.#begun = this.#now();
  }
}

/** Each item by itself, where all of them take long: in between others have their turn. */
export async function withTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
  now?: () => number,
): Promise<Made[]> {
  const made: Made[] = [];
  const turn = new Turn(now);
  for (const item of items) {
    if (turn.isOver) await turn.end();
    made.push(make(item));
  }
  return made;
}
