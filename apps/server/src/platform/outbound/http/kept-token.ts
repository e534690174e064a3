import { LRUCache } from "lru-cache";
import type { Connector } from "../connector.ts";

export interface Token {
  text: string;
  /** By the monotonic clock. */
  goodUntil: number;
}

const mostTokens = 1000;
/** How long a token is fetched for whoever waits. */
const flightMs = 30_000;

interface Known {
  tokens: LRUCache<string, Token>;
  flights: Map<string, Promise<Token>>;
}

/** By the way out, so that what one policy allows is not given to another. */
const known = new WeakMap<Connector, Known>();

function knownOf(connector: Connector): Known {
  let found = known.get(connector);
  if (!found) {
    found = { tokens: new LRUCache({ max: mostTokens }), flights: new Map() };
    known.set(connector, found);
  }
  return found;
}

export interface KeptToken {
  connector: Connector;
  signal: AbortSignal;
  /** Whose it is; a digest, as no secret is kept for the sake of finding its token again. */
  key: string;
  /** The one that was refused just now. */
  refused: string | undefined;
  fetchToken(signal: AbortSignal): Promise<Token>;
}

/** A token that is kept while it is good, or a new one, which is fetched once for all who wait. */
export async function keptToken(asked: KeptToken): Promise<string> {
  const { connector, signal, key, refused, fetchToken } = asked;
  const { tokens, flights } = knownOf(connector);
  const kept = tokens.get(key);
  if (kept && kept.goodUntil > performance.now() && kept.text !== refused) return kept.text;
  let flight = flights.get(key);
  if (!flight) {
    flight = fetchToken(AbortSignal.timeout(flightMs)).finally(() => flights.delete(key));
    flights.set(key, flight);
    flight.then(
      (token) => tokens.set(key, token),
      () => tokens.delete(key),
    );
  }
  return (await heeding(signal, flight)).text;
}

/** What comes first: the work, or that nobody waits for it any more. */
function heeding<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((fulfil, reject) => {
    signal.throwIfAborted();
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    work.then(fulfil, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
