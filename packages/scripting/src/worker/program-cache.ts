import type { Program } from "../language.ts";
import type { Job } from "./messages.ts";

const mostPrograms = 1000;
const mostCharacters = 2_000_000;

/** The programs used last, by all that they were compiled from. */
export class ProgramCache {
  /** In the order in which they were used. */
  readonly #programs = new Map<string, Program>();
  #characters = 0;

  get(
    { language, script, functions, answers, asks, delimiters, isSpec }: Job,
    compile: () => Program,
  ): Program {
    const key = JSON.stringify([language, delimiters, isSpec, functions, answers, asks, script]);
    const known = this.#programs.get(key);
    if (known) this.#drop(key);
    const program = known ?? compile();
    this.#programs.set(key, program);
    this.#characters += key.length;
    for (const oldest of this.#programs.keys()) {
      if (this.#programs.size <= mostPrograms && this.#characters <= mostCharacters) break;
      this.#drop(oldest);
    }
    return program;
  }

  #drop(key: string): void {
    this.#programs.delete(key);
    this.#characters -= key.length;
  }
}
