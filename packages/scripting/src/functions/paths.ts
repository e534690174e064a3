/** Paths with slashes, by their text alone: no file is looked at. */

export function clean(path: string): string {
  if (path === "") return ".";
  const rooted = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts[parts.length - 1] !== "..") parts.pop();
    else if (!rooted) parts.push("..");
  }
  const text = parts.join("/");
  return rooted ? `/${text}` : text === "" ? "." : text;
}

export function base(path: string): string {
  if (path === "") return ".";
  const stripped = stripSlashes(path);
  return stripped === "" ? "/" : stripped.slice(stripped.lastIndexOf("/") + 1);
}

function stripSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

export const dir = (path: string): string => clean(path.slice(0, path.lastIndexOf("/") + 1));

export function ext(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

export const isAbs = (path: string): boolean => path.startsWith("/");

export function join(parts: readonly string[]): string {
  const present = parts.filter((part) => part !== "");
  return present.length === 0 ? "" : clean(present.join("/"));
}

/** Directory, its slash included, and name. */
export function split(path: string): [string, string] {
  const slash = path.lastIndexOf("/") + 1;
  return [path.slice(0, slash), path.slice(slash)];
}

export function rel(from: string, to: string): string {
  const [start, target] = [clean(from), clean(to)];
  if (start === target) return ".";
  const cannot = (): never => {
    throw new Error(`can't make ${to} relative to ${from}`);
  };
  if (isAbs(start) !== isAbs(target)) cannot();
  const parts = (path: string): string[] =>
    path.split("/").filter((part) => part !== "" && part !== ".");
  const [steps, goal] = [parts(start), parts(target)];
  let common = 0;
  while (common < steps.length && common < goal.length && steps[common] === goal[common]) common++;
  if (steps.slice(common).includes("..")) cannot();
  return [...steps.slice(common).map(() => ".."), ...goal.slice(common)].join("/");
}

type Piece = { many: true } | { many: false; matches: (c: string) => boolean };

/** Whether a name is of a shell's pattern: `*`, `?`, `[a-z]` and `\` for the character itself; none goes over a slash. */
export function match(pattern: string, name: string): boolean {
  const pieces = patternPieces(Array.from(pattern));
  const characters = Array.from(name);
  // Which pieces may come next: never more than there are, so that no pattern takes long.
  let states = follow(pieces, new Set([0]));
  for (const c of characters) {
    const after = new Set<number>();
    for (const state of states) {
      const piece = pieces[state];
      if (piece === undefined) continue;
      if (piece.many) {
        if (c !== "/") after.add(state);
      } else if (piece.matches(c)) after.add(state + 1);
    }
    states = follow(pieces, after);
    if (states.size === 0) return false;
  }
  return states.has(pieces.length);
}

function follow(pieces: readonly Piece[], states: Set<number>): Set<number> {
  for (const state of states) {
    if (pieces[state]?.many === true) states.add(state + 1);
  }
  return states;
}

function patternPieces(pattern: readonly string[]): Piece[] {
  const bad = (): never => {
    throw new Error("syntax error in pattern");
  };
  const pieces: Piece[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] ?? "";
    if (c === "*") pieces.push({ many: true });
    else if (c === "?") pieces.push({ many: false, matches: (other) => other !== "/" });
    else if (c === "[") {
      const ranges: (readonly [string, string])[] = [];
      i++;
      const negated = pattern[i] === "^";
      if (negated) i++;
      const one = (): string => {
        if (pattern[i] === "\\") i++;
        else if (pattern[i] === "-" || pattern[i] === "]") bad();
        return pattern[i++] ?? bad();
      };
      do {
        const low = one();
        let high = low;
        if (pattern[i] === "-") {
          i++;
          high = one();
        }
        ranges.push([low, high]);
      } while (i < pattern.length && pattern[i] !== "]");
      if (pattern[i] !== "]") bad();
      const code = (text: string): number => text.codePointAt(0) ?? 0;
      pieces.push({
        many: false,
        matches: (other) =>
          other !== "/" &&
          ranges.some(([low, high]) => code(other) >= code(low) && code(other) <= code(high)) !==
            negated,
      });
    } else {
      if (c === "\\") i++;
      const literal = pattern[i] ?? bad();
      pieces.push({ many: false, matches: (other) => other === literal });
    }
  }
  return pieces;
}
