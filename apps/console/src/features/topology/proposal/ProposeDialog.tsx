import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type {
  OfferedKey,
  ProposalWay,
  ProposalWish,
} from "@mainstay/contract/topology-proposal.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { MultiSelect } from "@mainstay/ui/choice/MultiSelect.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { messageOf } from "#lib/api-error.ts";
import { TrialResults } from "../documents/TrialResults.tsx";
import { type TriedProposal, useProposal } from "./mutations.ts";
import { proposalQueries } from "./queries.ts";

const number = new Intl.NumberFormat();
const counted = (count: number, noun: string) =>
  `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;

const ways = [
  { value: "tag", label: "By a tag" },
  { value: "label", label: "By a label" },
  { value: "ownership", label: "By what belongs to what" },
] as const satisfies readonly { value: ProposalWay; label: string }[];

const keyOption = ({ key, values, items }: OfferedKey) => ({
  value: key,
  label: `${key} (${counted(values, "value")}, ${counted(items, "item")})`,
});

export interface ProposeDialogProps {
  onClose: () => void;
  /** Goes on with the text. */
  onEdit: (document: string) => void;
}

/** A topology that is made of what is in the catalog: chosen, seen, and then edited. */
export function ProposeDialog({ onClose, onEdit }: ProposeDialogProps) {
  const [by, setBy] = useState<ProposalWay>("tag");
  const [chosen, setChosen] = useState<Partial<Record<ProposalWay, string>>>({});
  const [types, setTypes] = useState<readonly string[]>([]);
  const offers = useQuery(proposalQueries.offers());
  const proposal = useProposal();
  const keys =
    by === "ownership" ? [] : ((by === "tag" ? offers.data?.tags : offers.data?.labels) ?? []);
  const key = by === "ownership" ? undefined : (chosen[by] ?? keys[0]?.key);
  const wish: ProposalWish = { by, types: [...types], ...(key !== undefined && { key }) };
  // What is shown is of what is chosen, or of nothing.
  const tried = isSame(proposal.variables, wish) ? proposal.data : undefined;
  const error = isSame(proposal.variables, wish) ? proposal.error : undefined;
  const isAskable = by === "ownership" || key !== undefined;
  return (
    <Dialog
      title="Propose from the catalog"
      size="large"
      keepOpenOnOutsidePress
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            {...(!tried && { kind: "primary" as const })}
            disabled={!isAskable || proposal.isPending}
            onClick={() => proposal.mutate(wish)}
          >
            {proposal.isPending ? "Looking up..." : "Preview"}
          </Button>
          {tried && (
            <Button kind="primary" onClick={() => onEdit(tried.proposal.document)}>
              Go on in the editor
            </Button>
          )}
        </>
      }
    >
      {offers.isError && !offers.data ? (
        <ErrorDisplay
          title="What is in the catalog could not be loaded"
          message={messageOf(offers.error)}
          onRetry={() => void offers.refetch()}
        />
      ) : !offers.data ? (
        <SkeletonRows rows={4} label="Loading what is in the catalog" />
      ) : (
        <div className="flex flex-col gap-3">
          <p className="m-0 text-sm text-muted">
            A document is written that looks the catalog up at every run: what is new there appears
            by itself. Nothing is saved before you have seen it.
          </p>
          <div className="grid gap-3 tablet:grid-cols-3">
            <SelectField
              label="Components"
              value={by}
              options={ways}
              onChange={(value) => setBy(value as ProposalWay)}
            />
            {by !== "ownership" && (
              <SelectField
                label={by === "tag" ? "Tag" : "Label"}
                value={key ?? ""}
                options={keys.map(keyOption)}
                disabled={keys.length === 0}
                onChange={(value) => setChosen({ ...chosen, [by]: value })}
                {...(keys.length === 0 && {
                  hint: `No item of the catalog has a ${by} yet.`,
                })}
              />
            )}
            <MultiSelect
              label="Types"
              options={offers.data.types.map(({ type, items }) => ({
                value: type,
                label: type,
                detail: counted(items, "item"),
              }))}
              value={types}
              onChange={setTypes}
              placeholder="All types"
            />
          </div>
          {offers.data.unnamed > 0 && by !== "ownership" && (
            <p className="m-0 text-xs text-muted">
              {counted(offers.data.unnamed, "tag or label")} with signs that no selector can name
              {offers.data.unnamed === 1 ? " is" : " are"} not offered.
            </p>
          )}
          {error && (
            <p role="alert" className="m-0 text-sm break-words text-unhealthy-fg">
              {messageOf(error)}
            </p>
          )}
          {proposal.isPending && <SkeletonRows rows={5} label="Looking the catalog up" />}
          {tried && !proposal.isPending && <Preview tried={tried} by={by} />}
        </div>
      )}
    </Dialog>
  );
}

const isSame = (one: ProposalWish | undefined, other: ProposalWish) =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);

const panelId = "proposal-preview";
const views = [
  { id: "tree", label: "Components" },
  { id: "text", label: "Document" },
];

/** What would be there, and the text that says so. */
function Preview({ tried: { proposal, results }, by }: { tried: TriedProposal; by: ProposalWay }) {
  const [view, setView] = useState("tree");
  const { covers, notices, document } = proposal;
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-2">
      <p className="m-0 text-sm">
        {counted(covers.items, "item")} of the catalog
        {by !== "ownership" && ` in ${counted(covers.groups, "group")}`}
        {covers.leftOut > 0 && `; ${counted(covers.leftOut, "other")} left out`}.
      </p>
      {notices.map((notice) => (
        <p key={notice} role="status" className="m-0 text-sm text-warning-fg">
          {notice}
        </p>
      ))}
      <Tabs label="Preview as" tabs={views} selected={view} onSelect={setView} panelId={panelId} />
      <div id={panelId} role="tabpanel" className="min-w-0">
        {view === "tree" ? (
          <TrialResults results={results} />
        ) : (
          <CodeView label="Topology document" text={document} language="yaml" />
        )}
      </div>
    </section>
  );
}
