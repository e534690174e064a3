/** Where in a text something is; both are 1-based. */
export interface Place {
  line: number;
  column: number;
}

type Path = readonly (string | number)[];

/** The paths that are looked for, as a tree. */
interface Wanted {
  children: Map<string, Wanted>;
  /** Paths that lead here or further. */
  paths: number[];
}

/**
 * Finds what paths lead to in a JSON text that has been parsed before, in one pass over it however many paths there
 * are. A path that leads nowhere is placed at the deepest part that exists.
 */
export function locateInJson(text: string, paths: readonly Path[]): Place[] {
  const root: Wanted = { children: new Map(), paths: [] };
  for (const [index, path] of paths.entries()) {
    let at = root;
    at.paths.push(index);
    for (const step of path) {
      const key = String(step);
      let next = at.children.get(key);
      if (!next) {
        next = { children: new Map(), paths: [] };
        at.children.set(key, next);
      }
      next.paths.push(index);
      at = next;
    }
  }
  const offsets = paths.map(() => 0);
  new Walk(text, offsets).value(root);
  return placesOf(text, offsets);
}

class Walk {
  readonly #text: string;
  readonly #offsets: number[];
  #at = 0;

  constructor(text: string, offsets: number[]) {
    this.#text = text;
    this.#offsets = offsets;
  }

  /** Descends only where something is wanted, so that it goes no deeper than the paths. */
  value(wanted: Wanted): void {
    this.#space();
    for (const index of wanted.paths) this.#offsets[index] = this.#at;
    const open = this.#text[this.#at];
    if (wanted.children.size === 0 || (open !== "{" && open !== "[")) return this.#skip();
    this.#at++;
    for (let index = 0; this.#at < this.#text.length; index++) {
      this.#space();
      const sign = this.#text[this.#at];
      if (sign === "}" || sign === "]") break;
      let key = String(index);
      if (open === "{") {
        const start = this.#at;
        this.#string();
        key = JSON.parse(this.#text.slice(start, this.#at)) as string;
        this.#space();
        this.#at++;
      }
      const child = wanted.children.get(key);
      if (child) this.value(child);
      else this.#skip();
      this.#space();
      if (this.#text[this.#at] === ",") this.#at++;
    }
    this.#at++;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #string(): void {
    this.#at++;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"')
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at++;
  }

  #skip(): void {
    this.#space();
    let depth = 0;
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!;
      if (sign === '"') {
        this.#string();
      } else {
        if (depth === 0 && (sign === "," || sign === "}" || sign === "]")) return;
        if (sign === "{" || sign === "[") depth++;
        else if (sign === "}" || sign === "]") depth--;
        this.#at++;
      }
      if (depth === 0 && (sign === '"' || sign === "}" || sign === "]")) return;
    }
  }
}

function placesOf(text: string, offsets: readonly number[]): Place[] {
  const places: Place[] = offsets.map(() => ({ line: 1, column: 1 }));
  let line = 1;
  let lineStart = 0;
  const inOrder = offsets.map((_, index) => index).toSorted((a, b) => offsets[a]! - offsets[b]!);
  for (const index of inOrder) {
    for (
      let next = text.indexOf("\n", lineStart);
      next >= 0 && next < offsets[index]!;
      next = text.indexOf("\n", lineStart)
    ) {
      line++;
      lineStart = next + 1;
    }
    places[index] = { line, column: offsets[index]! - lineStart + 1 };
  }
  return places;
}
