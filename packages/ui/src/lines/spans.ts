/** A piece of a line with its looks; joined, the pieces are the line. */
export interface Span {
  text: string;
  className: string;
}

/** From where to where in a line, the end not included. */
export type Extent = readonly [start: number, end: number];

const mostExtents = 500;

/** Where a text occurs in a line. `words` must be in lower case unless case matters. */
export function extentsOf(line: string, words: string, matchesCase: boolean): Extent[] {
  if (words === "") return [];
  const searched = matchesCase ? line : line.toLowerCase();
  const found: Extent[] = [];
  // A letter whose lower case is longer would shift what follows; such a line is left unmarked.
  if (searched.length !== line.length) return found;
  for (
    let at = searched.indexOf(words);
    at >= 0 && found.length < mostExtents;
    at = searched.indexOf(words, at + words.length)
  ) {
    found.push([at, at + words.length]);
  }
  return found;
}

/** The same line with more looks on some extents, which are in order and apart. */
export function markExtents(
  spans: readonly Span[],
  extents: readonly Extent[],
  className: string,
): Span[] {
  if (extents.length === 0) return [...spans];
  const marked: Span[] = [];
  let offset = 0;
  let next = 0;
  for (const span of spans) {
    const end = offset + span.text.length;
    let at = offset;
    while (at < end) {
      while (next < extents.length && extents[next]![1] <= at) next += 1;
      const extent = extents[next];
      const isInside = extent !== undefined && extent[0] <= at;
      const stop = Math.min(end, isInside ? extent[1] : (extent?.[0] ?? Number.POSITIVE_INFINITY));
      marked.push({
        text: span.text.slice(at - offset, stop - offset),
        className: isInside ? `${span.className} ${className}`.trim() : span.className,
      });
      at = stop;
    }
    offset = end;
  }
  return marked;
}
