import { setImmediate as turn } from "node:timers/promises";

/** How long everything else that the process does may wait, in milliseconds. */
const longestMs = 10;

/** Each item by itself, where all of them take long: in between others have their turn. */
export async function withTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
  now = () => performance.now(),
): Promise<Made[]> {
  const made: Made[] = [];
  let begun = now();
  for (const item of items) {
    if (now() - begun >= longestMs) {
      await turn();
      begun = now();
    }
    made.push(make(item));
  }
  return made;
}
