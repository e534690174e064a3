import { useQuery } from "@tanstack/react-query";
import { Age } from "@mainstay/ui/Age.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { JsonView } from "@mainstay/ui/json-view/JsonView.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { useId, useMemo } from "react";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { Facts } from "../../dialog-parts/Facts.tsx";
import { ItemLink } from "../../shared/ItemLink.tsx";
import { Neighbours } from "../../dialog-parts/Neighbours.tsx";
import { Severity } from "../../shared/Severity.tsx";
import { Author, PeopleContext } from "../Author.tsx";
import { BeforeLink } from "../BeforeLink.tsx";
import { whatChanged } from "./what-changed.ts";
import { oneChange, type WholeChange } from "./queries.ts";
import { changeQueries } from "../queries.ts";
import type { ChangePart } from "../view.ts";

const number = new Intl.NumberFormat();

export interface ChangeDialogProps {
  id: string;
  /** What of it is looked at; what says most when empty. */
  part: ChangePart | "";
  onPart: (part: ChangePart) => void;
  /** The changes that are listed around it. */
  inOrder: readonly string[];
  onShow: (id: string) => void;
  onClose: () => void;
}

const isThere = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  (typeof value !== "object" || Object.keys(value).length > 0);

const labels: Record<ChangePart, string> = {
  diff: "Diff",
  patches: "Patches",
  details: "Details",
};

/** What changed is said where its type is only that something did. */
function titleOf({ change_type: type, summary, patches }: WholeChange): string {
  const what = type === "diff" ? whatChanged(patches) || summary : undefined;
  return what ? `diff: ${what}` : (type ?? "Change");
}

/** One change: who, when, what, and how the item differs since. */
export function ChangeDialog({ id, part, onPart, inOrder, onShow, onClose }: ChangeDialogProps) {
  const whole = useQuery(oneChange.whole(id));
  const found = whole.data;
  return (
    <Dialog
      title={<bdi className="block truncate">{found ? titleOf(found) : "Change"}</bdi>}
      label={found ? `Change ${found.change_type ?? ""} of ${found.config?.name ?? ""}` : "Change"}
      size="large"
      onClose={onClose}
      headerActions={<Neighbours id={id} inOrder={inOrder} onShow={onShow} />}
      bodyClassName="flex flex-col min-h-80"
    >
      {whole.isPending ? (
        <SkeletonRows label="loading the change" />
      ) : whole.isError ? (
        <ErrorDisplay
          title="The change could not be loaded"
          message={messageOf(whole.error)}
          onRetry={() => void whole.refetch()}
        />
      ) : found ? (
        <Whole change={found} part={part} onPart={onPart} />
      ) : (
        <EmptyState title="There is no such change">
          It is kept no longer, or its address is not whole.
        </EmptyState>
      )}
    </Dialog>
  );
}

/** Of a difference that was too long to be kept: to both moments, where it is worked out anew. */
function Unkept({ change }: { change: WholeChange }) {
  const moment = Date.parse(change.created_at);
  // It became another in the middle of that millisecond.
  const [at, after] = [moment - 1, moment + 1].map((time) => new Date(time).toISOString());
  return (
    <p className="m-0 text-sm text-muted">
      The difference is too long to be kept as a whole.{" "}
      <AppLink
        to={paths.catalogItem(change.config_id, { at, with: after })}
        className="text-accent hover:underline"
      >
        Compare before and after
      </AppLink>
    </p>
  );
}

function Whole({
  change,
  part,
  onPart,
}: {
  change: WholeChange;
  part: ChangePart | "";
  onPart: (part: ChangePart) => void;
}) {
  const panelId = useId();
  const { config, created_by: author } = change;
  const ids = useMemo(() => (author === null ? [] : [author]), [author]);
  const people = useQuery(changeQueries.people(ids));
  const named = useMemo(
    () => new Map(people.data?.map((person) => [person.id, person])),
    [people.data],
  );
  const parts = (["diff", "patches", "details"] as const).filter((one) => isThere(change[one]));
  const shown = parts.find((one) => one === part) ?? parts[0];
  return (
    <PeopleContext value={named}>
      <div className="flex flex-col gap-3 px-4 pt-3 pb-2">
        {change.summary && (
          <p className="m-0 text-sm break-words whitespace-pre-wrap">{change.summary}</p>
        )}
        <Facts
          facts={{
            Catalog: config && <ItemLink item={config} />,
            Type: config?.type,
            Severity: <Severity severity={change.severity} />,
            "Created by": <Author change={change} />,
            Source: change.source && <bdi className="truncate">{change.source}</bdi>,
            Created: <Age at={change.created_at} />,
            "First observed": <Age at={change.first_observed} />,
            Count: change.count > 1 && `seen ${number.format(change.count)} times`,
          }}
        />
        <BeforeLink itemId={change.config_id} at={change.first_observed} />
        {change.source === "diff" && change.diff === null && isThere(change.patches) && (
          <Unkept change={change} />
        )}
      </div>
      {parts.length > 0 && (
        <Tabs
          label="What changed"
          panelId={panelId}
          selected={shown ?? ""}
          onSelect={(chosen) => {
            const one = parts.find((name) => name === chosen);
            if (one) onPart(one);
          }}
          tabs={parts.map((name) => ({ id: name, label: labels[name] }))}
        />
      )}
      <div
        id={panelId}
        {...(shown && { role: "tabpanel", "aria-label": labels[shown] })}
        className="flex min-h-40 flex-col p-4"
      >
        {shown === "diff" && change.diff !== null && (
          <DiffView
            label="Diff"
            patch={change.diff}
            // What is no object is scraped as text, and has no patches.
            language={change.patches === null ? "text" : "json"}
          />
        )}
        {shown === "patches" && <JsonView label="Patches" value={change.patches} openLevels={4} />}
        {shown === "details" && <JsonView label="Details" value={change.details} openLevels={3} />}
        {shown === undefined && (
          <p className="m-0 text-sm text-muted">Its source says nothing more of this change.</p>
        )}
      </div>
    </PeopleContext>
  );
}
