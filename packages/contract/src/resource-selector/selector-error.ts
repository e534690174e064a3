/** What is wrong with one text of a selector, and where: `at` counts characters from 0. */
export class SelectorError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "SelectorError";
    this.at = at;
  }
}
