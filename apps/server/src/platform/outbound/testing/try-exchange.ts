import { type Connector, createConnector } from "../connector.ts";
import { type Exchange, exchange, type HttpRequest } from "../http/exchange.ts";

interface TryOptions extends Omit<HttpRequest, "url"> {
  timeoutMs?: number;
  connector?: Connector;
}

/** For tests: one request, under a policy that keeps to the defaults. */
export function tryExchange(
  url: string,
  { timeoutMs = 10_000, connector = createConnector(), ...request }: TryOptions = {},
): Promise<Exchange> {
  const signal = AbortSignal.timeout(timeoutMs);
  return exchange({ url: new URL(url), ...request }, { signal, connector });
}
