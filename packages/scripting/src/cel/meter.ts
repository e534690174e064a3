import type { Limits } from "../language.ts";
import { Mistake } from "./mistake.ts";

const LOOK = 50;

/** Counts what a script does, and ends it when it is too much. */
export class Meter {
  #steps: number;
  /** Steps left when the clock is looked at next. */
  #look: number;
  readonly #deadline: number;
  readonly #outputCharacters: number;

  constructor({ steps, outputCharacters, milliseconds }: Omit<Limits, "depth">) {
    this.#steps = steps;
    this.#look = steps - LOOK;
    this.#deadline = performance.now() + milliseconds;
    this.#outputCharacters = outputCharacters;
  }

  step(count = 1): void {
    this.#steps -= count;
    // Steps are not all as long as each other.
    if (this.#steps < this.#look) {
      this.#look = this.#steps - LOOK;
      if (performance.now() > this.#deadline)
        throw new Mistake("the script takes too long and was given up", { fatal: true });
    }
    if (this.#steps < 0)
      throw new Mistake("the script takes too many steps and was given up", { fatal: true });
  }

  /** That text or lists of this size come to be, which also costs as much as making them does. */
  produce(size: number): void {
    if (size > this.#outputCharacters)
      throw new Mistake(`the script makes more than ${this.#outputCharacters} characters at once`, {
        fatal: true,
      });
    this.step(size >> 5);
  }
}
