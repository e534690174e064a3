import { cannotParse } from "../errors.ts";

const nameCharacter = /[\p{L}\p{Nd}_ $]/u;

/** A reading position in one parameter's text. What is read is asked for by the grammar; anything else is refused. */
export class Cursor {
  readonly text: string;
  readonly what: string;
  /** Characters that PostgREST counts before this text when it names a column. */
  readonly before: number;
  at = 0;

  constructor(what: string, text: string, before = 0) {
    this.what = what;
    this.text = text;
    this.before = before;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  peek(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  take(token: string): boolean {
    if (!this.peek(token)) return false;
    this.at += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.refusal(`"${token}"`);
  }

  spaces(): void {
    while (this.peek(" ")) this.at += 1;
  }

  /** The longest run that matches a sticky pattern; empty when there is none. */
  run(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  refusal(expected: string): Error {
    const found = this.done
      ? "end of input"
      : `"${String.fromCodePoint(this.text.codePointAt(this.at) ?? 0)}"`;
    return cannotParse(
      this.what,
      this.text,
      this.before + this.at + 1,
      `unexpected ${found} expecting ${expected}`,
    );
  }

  /** A column, table or alias: letters, digits, `_`, `$`, spaces and inner dashes, or anything in double quotes. */
  name(expected = "field name (* or [a..z0..9_$])"): string {
    if (this.peek('"')) return this.quoted();
    const start = this.at;
    while (!this.done) {
      const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
      const isInnerDash = character === "-" && this.at > start && this.text[this.at + 1] !== ">";
      if (!isInnerDash && !nameCharacter.test(character)) break;
      this.at += character.length;
    }
    const name = this.text.slice(start, this.at).trim();
    if (name === "") throw this.refusal(expected);
    return name;
  }

  /** Text in double quotes, where a backslash keeps the next character. */
  quoted(): string {
    this.expect('"');
    let value = "";
    while (!this.done) {
      const character = this.text[this.at] ?? "";
      this.at += 1;
      if (character === '"') return value;
      if (character === "\\" && !this.done) {
        value += this.text[this.at] ?? "";
        this.at += 1;
      } else {
        value += character;
      }
    }
    throw this.refusal('the closing "');
  }
}
