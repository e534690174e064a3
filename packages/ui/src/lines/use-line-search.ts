import { useEffect, useEffectEvent, useState } from "react";
import { type LineSearch, matchAfter, searchStretch } from "./search-lines.ts";

export interface UseLineSearchOptions {
  lines: readonly string[];
  /** A line without what is not text in it. */
  plainText: (line: string) => string;
  /** Where the reader is (from 0): the first match from there on is shown first. */
  startLine: () => number;
  /** Called with a line (from 0) that should come into view. */
  onMatch: (line: number) => void;
}

interface Walk extends LineSearch {
  startLine: number;
  /** The match that is shown; -1 for none. */
  currentLine: number;
}

/** How often a search that takes long says how far it is. */
const publishMs = 150;

/** Which match is shown first, once it is known: -1 before. */
function firstShown({ matches, startLine }: Walk, isDone: boolean): number {
  const after = matches.find((line) => line >= startLine);
  return after ?? (isDone ? matches[0] : undefined) ?? -1;
}

/** Searches many lines in small stretches, so that the page goes on answering; and walks through what was found. */
export function useLineSearch({ lines, plainText, startLine, onMatch }: UseLineSearchOptions) {
  const [walk, setWalk] = useState<Walk>({
    words: "",
    matchesCase: false,
    matches: [],
    searched: 0,
    startLine: 0,
    currentLine: -1,
  });
  const { words, matchesCase, matches, currentLine } = walk;
  // Lines that come later are searched then; a text that became shorter is another one and searched anew.
  const isDone = words === "" || walk.searched === lines.length;

  const stretch = useEffectEvent((from: Walk): { next: Walk; isOver: boolean } => {
    const known = from.searched > lines.length ? { ...from, matches: [], searched: 0 } : from;
    const next = { ...known, ...searchStretch(lines, known, { plainText }) };
    const isOver = next.searched >= lines.length;
    return {
      next: known.currentLine < 0 ? { ...next, currentLine: firstShown(next, isOver) } : next,
      isOver,
    };
  });
  const publish = useEffectEvent((next: Walk) => {
    setWalk(next);
    if (next.currentLine !== walk.currentLine) onMatch(next.currentLine);
  });
  useEffect(() => {
    if (isDone) return;
    let timer = 0;
    let known = walk;
    const until = performance.now() + publishMs;
    // Some stretches are worth drawing anew; between them the page answers.
    const goOn = () => {
      const { next, isOver } = stretch(known);
      known = next;
      if (isOver || performance.now() > until) publish(known);
      else timer = window.setTimeout(goOn, 0);
    };
    timer = window.setTimeout(goOn, 0);
    return () => window.clearTimeout(timer);
  }, [isDone, walk]);

  const begin = (changed: { words?: string; matchesCase?: boolean }) =>
    setWalk({
      ...walk,
      ...changed,
      matches: [],
      searched: 0,
      startLine: currentLine < 0 ? startLine() : currentLine,
      currentLine: -1,
    });

  return {
    words,
    setWords: (next: string) => begin({ words: next }),
    matchesCase,
    setMatchesCase: (next: boolean) => begin({ matchesCase: next }),
    matches,
    isSearching: !isDone,
    currentLine,
    /** Which of the matches is shown, from 0; -1 for none. */
    current: matches.indexOf(currentLine),
    move: (step: 1 | -1) => {
      const at = matchAfter(matches, currentLine < 0 ? startLine() - 1 : currentLine, step);
      const line = matches[at];
      if (line === undefined) return;
      setWalk({ ...walk, currentLine: line });
      onMatch(line);
    },
  };
}

export type LineSearchState = ReturnType<typeof useLineSearch>;
