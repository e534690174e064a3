import { type Flow, type FlowState, saveFlowState } from "./flow.ts";
import type { FlowChange, Method, Step } from "./method.ts";

/** Writes what has become of a flow. */
export async function change(
  { exchange: { ctx }, flow }: Step,
  changes: FlowChange,
  method?: Method,
): Promise<Flow> {
  const { phase, messages = [], fieldMessages = {}, values, kept, continueWith } = changes;
  const state: FlowState = {
    ...flow.state,
    phase: phase ?? flow.state.phase,
    ...(method ? { active: method.name } : {}),
    messages,
    field_messages: fieldMessages,
    values: { ...flow.state.values, ...values },
    kept: { ...flow.state.kept, ...kept },
    ...(continueWith ? { continue_with: continueWith } : {}),
  };
  return await saveFlowState(ctx.db, flow, state, ctx.clock.now());
}
