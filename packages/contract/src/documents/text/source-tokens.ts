import type { CST, Node, Pair, YAMLSeq } from "yaml";

/*
 * Where the marks of a text stand that no node has a range for: dashes, colons, anchors and tags. A text cannot be
 * searched for them: each of these characters may stand in a comment as well.
 */

type Tokens = readonly CST.SourceToken[];

const endOfToken = ({ offset, source }: CST.SourceToken) => offset + source.length;

const itemsOf = (seq: YAMLSeq<Node>): { start: Tokens; value?: unknown }[] => {
  const { srcToken } = seq as { srcToken?: { items?: { start: CST.SourceToken[] }[] } };
  return srcToken?.items ?? [];
};

/** Of each item of a list on lines of its own: where its dash stands, and where its value may begin. */
export function dashesOf(seq: YAMLSeq<Node>): { dash: number; behind: number }[] {
  return itemsOf(seq).flatMap(({ start }) => {
    const dash = start.find(({ type }) => type === "seq-item-ind");
    return dash ? [{ dash: dash.offset, behind: behindMarks(start)! }] : [];
  });
}

/** Of each item in brackets: where it begins, with its anchor and tag. */
export function beginsInBrackets(seq: YAMLSeq<Node>): (number | undefined)[] {
  return itemsOf(seq).map(({ start }) => firstMark(start));
}

/** Where a pair begins, with what stands before its key; nothing where only the key does. */
export const beforeKey = (pair: Pair<Node, Node | null>): number | undefined =>
  firstMark((pair as { srcToken?: { start: CST.SourceToken[] } }).srcToken?.start ?? []);

/** Behind the colon of a pair, and the anchor and tag of its value; nothing where it has no colon. */
export const behindColon = (pair: Pair<Node, Node | null>): number | undefined =>
  behindMarks((pair as { srcToken?: { sep?: CST.SourceToken[] } }).srcToken?.sep ?? []);

const marks = ["seq-item-ind", "map-value-ind", "explicit-key-ind", "anchor", "tag"];

function behindMarks(tokens: Tokens): number | undefined {
  const last = tokens.findLast(({ type }) => marks.includes(type));
  return last && endOfToken(last);
}

const firstMark = (tokens: Tokens): number | undefined =>
  tokens.find(({ type }) => marks.includes(type))?.offset;
