import { memo } from "react";
import { extentsOf, markExtents, type Span } from "./spans.ts";

export interface SpanLineProps {
  text: string;
  /** The pieces of a line; called only when the line is drawn anew. */
  spansOf: (text: string) => readonly Span[];
  /** What is searched for. */
  words: string;
  matchesCase: boolean;
  /** The match that was walked to. */
  isCurrent: boolean;
}

const found = "rounded-bar bg-warning-bg text-warning-fg! underline decoration-warning";
const foundHere = "rounded-bar bg-accent text-accent-text! underline";

/** One line in its colours, with what is searched for marked. */
export const SpanLine = memo(function SpanLine(props: SpanLineProps) {
  const { text, spansOf, words, matchesCase, isCurrent } = props;
  const spans = spansOf(text);
  if (words === "") return draw(spans);
  const plain = spans.map((span) => span.text).join("");
  const extents = extentsOf(plain, matchesCase ? words : words.toLowerCase(), matchesCase);
  return draw(markExtents(spans, extents, isCurrent ? foundHere : found));
});

const draw = (spans: readonly Span[]) =>
  spans.map((span, index) =>
    span.className === "" ? (
      span.text
    ) : (
      <span key={index} className={span.className}>
        {span.text}
      </span>
    ),
  );
