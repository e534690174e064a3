import { Inbox, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { PageSkeleton, SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { Show, State } from "./Show.tsx";

export function Feedback() {
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  return (
    <>
      <Show title="Toasts">
        <State name="done: 5 seconds; failed: until it is dismissed">
          <Button onClick={() => toastDone("Agent created")}>Done</Button>
          <Button
            onClick={() =>
              toastDone("Linked to incident successfully", {
                label: "Open",
                onSelect: () => toastDone("Opened"),
              })
            }
          >
            With an action
          </Button>
          <Button onClick={() => toastFailed("Network Error. Please try again.")}>Failed</Button>
          <Button
            onClick={() =>
              toastFailed(`The server refused: ${"a reason that takes many words, ".repeat(12)}`)
            }
          >
            Failed at length
          </Button>
        </State>
      </Show>
      <Show title="Copy">
        <State name="the three toasts">
          <CopyButton text="copied" />
          <CopyButton text="copied" label="Copy id" isLabelled done="Copied id to clipboard" />
          <Button onClick={() => toastFailed("Clipboard not available")}>No clipboard</Button>
          <Button onClick={() => toastFailed("Failed to copy to clipboard")}>Refused</Button>
        </State>
      </Show>
      <Show title="Confirm">
        <State name="asks before something is lost">
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            Delete …
          </Button>
        </State>
        {isAsking && (
          <Confirm
            title="Delete the connection “warehouse”?"
            action={isBusy ? "Deleting" : "Delete"}
            isBusy={isBusy}
            onConfirm={() => setIsBusy(true)}
            onClose={() => {
              setIsAsking(false);
              setIsBusy(false);
            }}
          >
            Its 3 scrapers stop working. This cannot be undone.
          </Confirm>
        )}
      </Show>
      <Show title="Empty states">
        <EmptyState title="No data available" />
        <EmptyState
          icon={<Inbox size={20} strokeWidth={1.75} />}
          title="No checks yet"
          actions={
            <Button kind="primary" icon={<Plus size={14} strokeWidth={1.75} />}>
              Add a check
            </Button>
          }
        >
          Checks that you add, or that are applied from a file, appear here.
        </EmptyState>
      </Show>
      <Show title="Errors">
        <ErrorDisplay
          title="The checks could not be loaded"
          message="Request timed out. Please try again."
          details="GET /api/canary/api/summary: status 504"
          onRetry={() => toastDone("Tried again")}
        />
        <ErrorDisplay title="Sorry.. there was an error" message="Something went wrong" />
      </Show>
      <Show title="Skeletons">
        <State name="8 rows">
          <SkeletonRows />
        </State>
        <State name="a page: 6 rows">
          <div className="w-full">
            <PageSkeleton />
          </div>
        </State>
      </Show>
    </>
  );
}
