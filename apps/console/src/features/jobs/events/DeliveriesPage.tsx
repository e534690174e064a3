import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Age, exactTime } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { GatedButton } from "#lib/GatedButton.tsx";
import { PagedPage } from "#lib/PagedList.tsx";
import { useAccess } from "#lib/use-access.ts";
import { paths } from "#lib/paths.ts";
import { useUrlState } from "#lib/url-state.ts";
import { EventTabs } from "./EventTabs.tsx";
import { type Retried, useRetryDeliveries } from "./mutations.ts";
import { deliveriesCodec, type Delivery, deliveryQueries, deliveryStates } from "./queries.ts";

const icon = <RotateCcw size={14} strokeWidth={1.75} />;
const stateWords = { "": "Parked", waiting: "Waiting", all: "All" };

/** A moment to come. */
const nextTry = ({ due_at, parked_at }: Delivery) =>
  parked_at === null ? <Age at={due_at} /> : "–";
const parkedSince = ({ parked_at }: Delivery) =>
  parked_at === null ? <Badge>waiting</Badge> : <Age at={parked_at} />;

const columns: readonly Column<Delivery>[] = [
  {
    id: "event",
    header: "Event",
    width: 160,
    minWidth: 120,
    sortable: true,
    value: ({ event }) => event,
    renderCell: ({ event }) => <code className="font-mono text-xs">{event}</code>,
  },
  {
    id: "handler",
    header: "Handler",
    width: 200,
    minWidth: 150,
    sortable: true,
    value: ({ handler }) => handler,
    renderCell: ({ handler }) => <code className="font-mono text-xs">{handler}</code>,
  },
  {
    id: "error",
    header: "Error",
    minWidth: 160,
    value: ({ error }) => error,
    renderCell: ({ error }) => (
      <span className="text-unhealthy-fg" data-tooltip={error ?? undefined}>
        {error?.split("\n")[0]}
      </span>
    ),
  },
  {
    id: "attempts",
    header: "Tries",
    width: 64,
    dropOrder: 1,
    align: "right",
    sortable: true,
    value: ({ attempts }) => attempts,
    renderCell: ({ attempts }) => attempts,
  },
  {
    id: "due_at",
    header: "Next Try",
    width: 110,
    sortable: true,
    value: ({ due_at, parked_at }) => (parked_at === null ? due_at : null),
    renderCell: nextTry,
  },
  {
    id: "parked_at",
    header: "Parked Since",
    width: 130,
    sortable: true,
    value: ({ parked_at }) => parked_at,
    renderCell: parkedSince,
  },
];

function DeliveryDialog({
  delivery,
  whyNot,
  onRetry,
  onClose,
}: {
  delivery: Delivery;
  whyNot: string | undefined;
  onRetry: (which: Retried) => void;
  onClose: () => void;
}) {
  const { event, handler, subject, attempts, last_attempt, parked_at, due_at, error } = delivery;
  const at = (moment: string | null) =>
    moment === null ? "–" : exactTime(Date.parse(moment)).replace("\n", " · ");
  const facts: [string, string][] = [
    ["Event", event],
    ["Handler", handler],
    ["Subject", subject],
    ["Tries", String(attempts)],
    ["Last try", at(last_attempt)],
    parked_at === null ? ["Next try", at(due_at)] : ["Parked since", at(parked_at)],
  ];
  return (
    <Dialog
      title={`${event} to ${handler}`}
      size="large"
      onClose={onClose}
      bodyClassName="gap-4 p-4"
      footer={
        parked_at !== null && (
          <>
            <GatedButton whyNot={whyNot} onClick={() => onRetry({ handler })}>
              Retry all of this handler
            </GatedButton>
            <GatedButton
              kind="primary"
              whyNot={whyNot}
              onClick={() => onRetry({ ids: [delivery.id] })}
            >
              Retry
            </GatedButton>
          </>
        )
      }
    >
      <dl className="m-0 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="m-0 break-all">{value}</dd>
          </div>
        ))}
      </dl>
      {error !== null && (
        <pre className="m-0 overflow-auto rounded-card bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">
          {error}
        </pre>
      )}
    </Dialog>
  );
}

const question = (which: Retried) =>
  "handler" in which
    ? `Retry all parked deliveries to ${which.handler}?`
    : which.ids.length === 1
      ? "Retry this delivery?"
      : `Retry ${which.ids.length.toLocaleString()} deliveries?`;

/** Deliveries of events that were given up after a day of tries, and those that still wait. */
export function DeliveriesPage() {
  const [view, change] = useUrlState(deliveriesCodec);
  const whyNot = useAccess().whyNot("write", "database");
  const [open, setOpen] = useState<Delivery | null>(null);
  const [asked, setAsked] = useState<{ which: Retried; onDone?: () => void } | null>(null);
  const retry = useRetryDeliveries();
  const confirm = () => {
    if (!asked) return;
    retry.mutate(asked.which, {
      onSuccess: ({ retried }) => {
        toastDone(
          retried === 1
            ? "1 delivery is tried again"
            : `${retried.toLocaleString()} deliveries are tried again`,
        );
        asked.onDone?.();
        setAsked(null);
      },
    });
  };
  return (
    <PagedPage
      crumbs={[
        { label: "Settings" },
        { label: "Event Queue", to: paths.eventQueue() },
        { label: "Event Deliveries" },
      ]}
      tabs={<EventTabs selected="deliveries" />}
      noun="event deliveries"
      view={view}
      change={change}
      page={useQuery(deliveryQueries.page(view))}
      loadAll={(limit) => deliveryQueries.all(view, limit)}
      columns={columns}
      rowId={({ id }) => String(id)}
      onOpen={setOpen}
      storageKey="event-deliveries"
      search={{
        label: "Search the event deliveries",
        placeholder: "Search by event, handler, subject or error",
      }}
      filters={
        <Select
          label="State"
          value={view.state}
          options={Object.entries(stateWords).map(([value, label]) => ({ value, label }))}
          onChange={(chosen) =>
            change({ state: deliveryStates.find((state) => state === chosen) ?? "", pageIndex: 0 })
          }
        />
      }
      isFiltered={view.query !== "" || view.state === "all"}
      isSelectable={({ parked_at }) => parked_at !== null}
      renderBulkActions={
        whyNot === undefined
          ? ({ ids, clear }) => (
              <Button
                icon={icon}
                onClick={() => setAsked({ which: { ids: ids.map(Number) }, onDone: clear })}
              >
                Retry
              </Button>
            )
          : undefined
      }
      renderPhoneRow={(delivery) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex justify-between gap-2">
            <span className="truncate font-medium">{delivery.handler}</span>
            <span className="text-xs text-muted">{parkedSince(delivery)}</span>
          </span>
          <span className="truncate text-xs text-unhealthy-fg">{delivery.error}</span>
        </span>
      )}
      empty={
        <EmptyState
          title={view.state === "waiting" ? "No event waits for its handler" : "Nothing is parked"}
        >
          An event that a handler fails at is tried again for a day, then parked here until somebody
          has it tried again. Other handlers of the event are not held up.
        </EmptyState>
      }
    >
      {open && !asked && (
        <DeliveryDialog
          delivery={open}
          whyNot={whyNot}
          onRetry={(which) => setAsked({ which, onDone: () => setOpen(null) })}
          onClose={() => setOpen(null)}
        />
      )}
      {asked && (
        <Confirm
          title={question(asked.which)}
          action={retry.isPending ? "Retrying" : "Retry"}
          isBusy={retry.isPending}
          onConfirm={confirm}
          onClose={() => setAsked(null)}
        >
          <p className="m-0 text-sm">
            What a handler does may happen a second time where its last try got part of the way. It
            has a day of tries before it again, and the audit log says who asked for it.
          </p>
        </Confirm>
      )}
    </PagedPage>
  );
}
