interface Flight<Answer> {
  /** Fulfilled whatever came of it. */
  ended: Promise<unknown>;
  next?: Promise<Answer>;
}

/**
 * Those who ask the same while it is being answered share the next answer, which is begun when the running one has ended:
 * it is never older than their question, and however many ask, one answer to each question is worked on at a time. A
 * failure is everybody's who shares it.
 */
export function createSingleFlight<Answer>() {
  const flights = new Map<string, Flight<Answer>>();

  async function fly(question: string, work: () => Promise<Answer>): Promise<Answer> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const flight: Flight<Answer> = { ended };
    flights.set(question, flight);
    try {
      return await work();
    } finally {
      // The next one takes its place in the same moment.
      if (!flight.next) flights.delete(question);
      end();
    }
  }

  return (question: string, work: () => Promise<Answer>): Promise<Answer> => {
    const running = flights.get(question);
    if (!running) return fly(question, work);
    return (running.next ??= running.ended.then(() => fly(question, work)));
  };
}
