/** Where the keys of a list lead from one place of it: round the ends by arrows, a page at a time, to the ends. */
const pageSize = 8;

export function moveActive(key: string, index: number, count: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  switch (key) {
    case "ArrowDown":
      return index >= last ? 0 : index + 1;
    case "ArrowUp":
      return index <= 0 ? last : index - 1;
    case "PageDown":
      return Math.min(index + pageSize, last);
    case "PageUp":
      return Math.max(index - pageSize, 0);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
