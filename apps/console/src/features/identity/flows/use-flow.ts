import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { ApiError } from "#lib/api-error.ts";
import { paths, safeReturnTo } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { createFlow, readFlow, submitFlow } from "../front/calls.ts";
import type { FlowKind } from "./flow-kinds.ts";
import { type Flow, type FlowValues, hasMessages, isFlow, withoutMessages } from "./flow.ts";

/** Document 3, section 9. */
const messageMs = 10_000;

const readAddress = () => parseSearch(window.location.search);
const here = () => `${window.location.pathname}${window.location.search}`;

/** Changes what the address says, without going anywhere. */
export function changeAddress(change: (query: URLSearchParams) => void): void {
  const url = new URL(window.location.href);
  change(url.searchParams);
  window.history.replaceState(window.history.state, "", url);
}

/** The code of a link in a mail is filled in; it is sent by a person, not by whatever opens links. */
function takeCode(): FlowValues {
  const code = new URLSearchParams(window.location.search).get("code");
  if (code === null) return {};
  changeAddress((query) => query.delete("code"));
  return { code };
}

type Opened = { flow: Flow } | { failure: string } | { leavesTo: string };

async function openFlow(kind: FlowKind, flowId: string | undefined): Promise<Opened> {
  const address = readAddress();
  try {
    return {
      flow: flowId
        ? await readFlow(kind.name, flowId)
        : await createFlow(kind.name, kind.newQuery(address)),
    };
  } catch (error) {
    // K8: a recovery that cannot begin as asked comes back as a form that says so.
    if (error instanceof ApiError && error.status === 400 && isFlow(error.body))
      return { flow: error.body };
    const next = kind.refused(error, here());
    switch (next.kind) {
      case "restart":
        if (next.message) toastFailed(next.message);
        // Only a flow that was named can be replaced; a new one that fails the same way would fail for ever.
        if (!flowId) return { failure: next.message ?? "An error occurred" };
        changeAddress((query) => query.delete("flow"));
        return openFlow(kind, next.flowId === flowId ? undefined : next.flowId);
      case "leave":
        return { leavesTo: next.to };
      case "go":
        // Signed in already: on to where the form would have led.
        return {
          leavesTo: next.to === paths.home() ? safeReturnTo(address.return_to) : next.to,
        };
      case "show":
        // The service does not know a flow of that id (any more): a new one does as well.
        return flowId && error instanceof ApiError && error.status === 404
          ? openFlow(kind, undefined)
          : { failure: next.message };
    }
  }
}

export interface FlowState {
  flow: Flow | null;
  /** Why there is no flow. */
  failure: string | null;
  isBusy: boolean;
  typed: FlowValues;
  type: (name: string, value: string | boolean) => void;
  submit: (values: FlowValues) => void;
  restart: () => void;
}

export interface FlowOptions {
  /** What to send at once when the flow is there, if anything. */
  sendFirst?: (flow: Flow) => FlowValues | null;
  onAccepted?: (flow: Flow) => void;
}

/** A self-service flow: made or fetched, submitted, made again when it ran out; what was typed survives that. */
export function useFlow(kind: FlowKind, options: FlowOptions = {}): FlowState {
  const [flow, setFlow] = useState<Flow | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [typed, setTyped] = useState<FlowValues>(takeCode);
  const isStarted = useRef(false);

  const start = useCallback(
    async (flowId: string | undefined): Promise<Flow | null> => {
      setFailure(null);
      const { pathname } = window.location;
      const opened = await openFlow(kind, flowId);
      // Somebody who has gone to another page meanwhile stays there.
      if (window.location.pathname !== pathname) return null;
      if ("leavesTo" in opened) window.location.assign(opened.leavesTo);
      else if ("failure" in opened) setFailure(opened.failure);
      else {
        setFlow(opened.flow);
        changeAddress((query) => query.set("flow", opened.flow.id));
        return opened.flow;
      }
      return null;
    },
    [kind],
  );

  const refuse = async (error: unknown): Promise<void> => {
    if (error instanceof ApiError && error.status === 400 && isFlow(error.body))
      return setFlow(error.body);
    const next = kind.refused(error, here());
    if (next.kind === "restart") {
      if (next.message) toastFailed(next.message);
      await start(next.flowId);
    } else if (next.kind === "show") toastFailed(next.message);
    else window.location.assign(next.to);
  };

  const send = async (current: Flow, values: FlowValues): Promise<void> => {
    setIsBusy(true);
    try {
      const body = await submitFlow(kind.name, current.id, values);
      const next = kind.accepted(body, current, readAddress());
      // A full load: nothing of what an earlier person saw stays in memory.
      if ("to" in next) return window.location.assign(next.to);
      setTyped({});
      // A form that was sent too late is answered with a fresh one.
      if (next.flow.id !== current.id) changeAddress((query) => query.set("flow", next.flow.id));
      setFlow(next.flow);
      options.onAccepted?.(next.flow);
    } catch (error) {
      await refuse(error);
    }
    setIsBusy(false);
  };

  const begin = useEffectEvent(async () => {
    const opened = await start(readAddress().flow);
    const values = opened && options.sendFirst?.(opened);
    if (opened && values) await send(opened, values);
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
    typed,
    type: (name, value) => setTyped((before) => ({ ...before, [name]: value })),
    submit: (values) => {
      if (flow && !isBusy) void send(flow, values);
    },
    restart: () => void start(undefined),
  };
}
