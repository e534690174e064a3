/**
 * What several sources give, as it comes, so many of them read at a time. Each is asked for more only when what it gave
 * has been taken, so that memory holds one thing of each.
 */
export async function* merge<Source, Found>(
  sources: readonly Source[],
  most: number,
  read: (source: Source) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  const waiting = [...sources];
  const under = new Map<AsyncIterator<Found>, Promise<Given<Found>>>();
  const ask = (iterator: AsyncIterator<Found>) => {
    under.set(
      iterator,
      iterator.next().then((result) => ({ iterator, result })),
    );
  };
  try {
    for (;;) {
      while (under.size < most && waiting.length > 0)
        ask(read(waiting.shift()!)[Symbol.asyncIterator]());
      if (under.size === 0) return;
      const { iterator, result } = await Promise.race(under.values());
      if (result.done) under.delete(iterator);
      else {
        yield result.value;
        ask(iterator);
      }
    }
  } finally {
    // Whoever is still asked ends by the signal; nobody waits for what it would give.
    for (const [iterator, given] of under) {
      given.catch(() => undefined);
      void iterator.return?.();
    }
  }
}

interface Given<Found> {
  iterator: AsyncIterator<Found>;
  result: IteratorResult<Found>;
}
