import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { ApiError } from "#lib/api-error.ts";
import { paths, safeReturnTo } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { createLoginFlow, readLoginFlow, submitLogin } from "./calls.ts";
import { flowFailure } from "./flow-failure.ts";
import {
  type Flow,
  type FlowValues,
  hasMessages,
  initialValues,
  isFlow,
  withoutMessages,
} from "./flow.ts";

/** Document 3, section 9. */
const messageMs = 10_000;

function readAddress() {
  const raw = parseSearch(window.location.search);
  return {
    flowId: raw.flow,
    returnTo: safeReturnTo(raw.return_to),
    refresh: raw.refresh === "true",
    aal: raw.aal ?? "",
  };
}

/** A user name and password in the address sign in at once; they do not stay there. */
function takeCredentials(): { username: string; password: string } | null {
  const url = new URL(window.location.href);
  const [username, password] = [url.searchParams.get("username"), url.searchParams.get("password")];
  if (username === null || password === null) return null;
  url.searchParams.delete("username");
  url.searchParams.delete("password");
  window.history.replaceState(window.history.state, "", url);
  return { username, password };
}

function putFlowInAddress(flowId: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set("flow", flowId);
  window.history.replaceState(window.history.state, "", url);
}

/** A flow may name its return address in full; only a path of this origin is followed. */
function pathOf(address: string): string {
  const url = URL.parse(address, window.location.origin);
  return url?.origin === window.location.origin ? `${url.pathname}${url.search}${url.hash}` : "/";
}

type Opened = { flow: Flow } | { failure: string } | { leavesTo: string };

async function openFlow(flowId: string | undefined): Promise<Opened> {
  const { refresh, aal, returnTo } = readAddress();
  const here = `${window.location.pathname}${window.location.search}`;
  try {
    return {
      flow: flowId
        ? await readLoginFlow(flowId)
        : await createLoginFlow({ refresh, aal, returnTo }),
    };
  } catch (error) {
    const next = flowFailure(error, here);
    switch (next.kind) {
      case "restart":
        if (next.message) toastFailed(next.message);
        // Only a flow that was named can be replaced; a new one that fails the same way would fail for ever.
        return flowId ? openFlow(undefined) : { failure: next.message ?? "An error occurred" };
      case "leave":
        return { leavesTo: next.to };
      case "go":
        // Signed in already: on to where the sign-in would have led.
        return { leavesTo: next.to === paths.home() ? returnTo : next.to };
      case "show":
        // The service does not know a flow of that id (any more): a new one does as well.
        return flowId && error instanceof ApiError && error.status === 404
          ? openFlow(undefined)
          : { failure: next.message };
    }
  }
}

export interface Login {
  flow: Flow | null;
  failure: string | null;
  isBusy: boolean;
  submit: (values: FlowValues) => void;
  restart: () => void;
}

/** The sign-in flow: made or fetched, submitted, made again when it ran out. */
export function useLogin(): Login {
  const [flow, setFlow] = useState<Flow | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isStarted = useRef(false);

  const start = useCallback(async (flowId: string | undefined): Promise<Flow | null> => {
    setFailure(null);
    const opened = await openFlow(flowId);
    if ("leavesTo" in opened) window.location.assign(opened.leavesTo);
    else if ("failure" in opened) setFailure(opened.failure);
    else {
      setFlow(opened.flow);
      putFlowInAddress(opened.flow.id);
      return opened.flow;
    }
    return null;
  }, []);

  const send = async (current: Flow, values: FlowValues): Promise<void> => {
    const { returnTo } = readAddress();
    setIsBusy(true);
    try {
      await submitLogin(current.id, values);
      // A full load: nothing of what an earlier person saw stays in memory.
      window.location.assign(
        safeReturnTo(current.return_to ? pathOf(current.return_to) : returnTo),
      );
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiError && error.status === 400 && isFlow(error.body))
        return setFlow(error.body);
      const next = flowFailure(error, returnTo);
      if (next.kind === "restart") {
        if (next.message) toastFailed(next.message);
        await start(undefined);
      } else if (next.kind === "show") toastFailed(next.message);
      else window.location.assign(next.to);
    }
  };

  const begin = useEffectEvent(async () => {
    const credentials = takeCredentials();
    const opened = await start(readAddress().flowId);
    if (!opened || !credentials) return;
    await send(opened, {
      csrf_token: initialValues(opened).csrf_token ?? "",
      method: "password",
      password: credentials.password,
      identifier: credentials.username,
    });
  });
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    void begin();
  }, []);

  useEffect(() => {
    if (!flow || !hasMessages(flow)) return;
    const timer = setTimeout(() => setFlow(withoutMessages(flow)), messageMs);
    return () => clearTimeout(timer);
  }, [flow]);

  return {
    flow,
    failure,
    isBusy,
    submit: (values) => {
      if (flow) void send(flow, values);
    },
    restart: () => void start(undefined),
  };
}
