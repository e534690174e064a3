import type { ReactNode } from "react";
import { FlowMessages } from "./FlowField.tsx";
import { FlowForm } from "./FlowForm.tsx";
import type { FlowName } from "./flow.ts";
import { FrontDoor, FrontFailure } from "../front/FrontDoor.tsx";
import type { FlowState } from "./use-flow.ts";

export interface FlowPageProps {
  name: FlowName;
  title: string;
  /** What to say when there is no form. */
  failureTitle: string;
  state: FlowState;
  /** Ways to the other pages, below the form. */
  children?: ReactNode;
}

/** A flow as a page of its own in front of the console. */
export function FlowPage({ name, title, failureTitle, state, children }: FlowPageProps) {
  const { flow, failure, restart } = state;
  return (
    <FrontDoor
      title={title}
      footer={
        children && (
          <nav
            aria-label="Other ways in"
            className="flex flex-wrap justify-between gap-x-4 gap-y-1"
          >
            {children}
          </nav>
        )
      }
    >
      {failure !== null ? (
        <FrontFailure title={failureTitle} message={failure} onRetry={restart} />
      ) : flow ? (
        <>
          <FlowMessages id="flow-messages" messages={flow.ui.messages ?? []} />
          <FlowForm name={name} state={state} />
        </>
      ) : (
        <output aria-label="Loading" className="flex flex-col gap-3">
          <span className="skeleton h-4 w-16" />
          <span className="skeleton h-8 w-full" />
          <span className="skeleton h-4 w-20" />
          <span className="skeleton h-8 w-full" />
          <span className="skeleton mt-1 h-8 w-full" />
        </output>
      )}
    </FrontDoor>
  );
}
