import { useCallback, useEffect, useRef, useState } from "react";

export interface Answer<T> {
  data?: T;
  error?: unknown;
  retry: () => void;
}

/** One answer of the server, asked for once: the pages in front of the console have no query cache. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown }>({});
  const latest = useRef<AbortController>(undefined);
  const start = useCallback(() => {
    latest.current?.abort();
    const controller = new AbortController();
    latest.current = controller;
    ask(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ data });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ error });
      },
    );
  }, [ask]);
  useEffect(() => {
    start();
    return () => latest.current?.abort();
  }, [start]);
  const retry = useCallback(() => {
    setState({});
    start();
  }, [start]);
  return { ...state, retry };
}
