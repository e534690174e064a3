/**
 * What a regular expression of PostgreSQL (its "advanced" kind) costs. Without back-references, conditions on what
 * surrounds (`(?=...)`) and changes of the grammar, PostgreSQL makes an automaton of it, whose time follows the length of
 * the text; what remains to be bounded is the automaton: the atoms, with every counted repetition written out.
 */
export type RegularExpression =
  | { atoms: number }
  /** It has something that can explode. */
  | { refused: string }
  /** It is none, as PostgreSQL says it. */
  | { invalid: string };

const unbalanced = "parentheses () not balanced";

/** Longest count of a repetition that PostgreSQL takes. */
const mostTimes = 255;

const repetition = /[*+?]\??|\{(\d+)(?:,(\d*))?\}\??/y;
/** Brackets, in which a `]` may stand first and `[:name:]` is a class. Nothing in it can be read in two ways. */
const bracket = /\[(?:\^|(?!\^))(?:\]|(?!\]))(?:\\[^]|\[:[a-z<>]+:\]|[^\]\\[]|\[(?![.=:]))*\]/y;

export function readRegularExpression(text: string): RegularExpression {
  if (text.startsWith("***")) return { refused: "a director (***) in front" };
  /** Atoms of the groups that are open, outermost first. */
  const groups = [0];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const character = text.charAt(at);
    let atoms = 1;
    if (character === "\\") {
      const escaped = text.charAt(at + 1);
      if (/\d/.test(escaped)) return { refused: `a back-reference (\\${escaped})` };
      // It takes the next character with it, whatever that is.
      if (escaped === "c") return { refused: "a control character (\\c)" };
      at += 2;
    } else if (character === "[") {
      bracket.lastIndex = at;
      const found = bracket.exec(text)?.[0];
      if (found === undefined)
        return { refused: "brackets that are not closed, or [. or [= in them" };
      if (/\\[\dc]/.test(found.replaceAll("\\\\", "")))
        return { refused: "a number or control character behind a backslash in brackets" };
      at += found.length;
    } else if (character === "(") {
      if (text.startsWith("(?", at) && !text.startsWith("(?:", at))
        return { refused: "an option or a look around, (?...)" };
      groups.push(0);
      at += text.startsWith("(?:", at) ? 3 : 1;
      continue;
    } else if (character === ")") {
      if (groups.length === 1) return { invalid: unbalanced };
      // An empty group is one atom too.
      atoms = Math.max(1, groups.pop() ?? 1);
      at += 1;
    } else if (character === "|") {
      at += 1;
    } else {
      at +=
        character === "{" || character === "*" || character === "+" || character === "?" ? 0 : 1;
    }
    repetition.lastIndex = at;
    const counted = repetition.exec(text);
    if (counted && character !== "|") {
      const [found, least = "1", most] = counted;
      const times = Math.max(Number(least), Number(most || 0), 1);
      if (times > mostTimes) return { refused: `a repetition of more than ${mostTimes}` };
      atoms *= times;
      at += found.length;
    } else if (at === start) at += 1;
    groups[groups.length - 1] = (groups.at(-1) ?? 0) + atoms;
  }
  return groups.length === 1 ? { atoms: groups[0] ?? 0 } : { invalid: unbalanced };
}
