import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Check, Copy, Pencil, RefreshCw, Star, StarOff, Trash2 } from "lucide-react";
import { useState, type FormEvent } from "react";
import { longestViewName, type SavedView } from "@mainstay/contract/saved-views.ts";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { RowMenu } from "@mainstay/ui/list-table/RowMenu.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { copyText, toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { useViewChanges } from "./mutations.ts";
import { viewQueries } from "./queries.ts";
import { isSameView, type SavedPage } from "./saved-page.ts";

const icon = { size: 14, strokeWidth: 1.75 } as const;

/** One line of text that is saved with Enter. */
function NameForm({
  label,
  first = "",
  action,
  isBusy,
  onSubmit,
  onCancel,
}: {
  label: string;
  first?: string;
  action: string;
  isBusy: boolean;
  /** Whether it was done: then what was typed is wanted no more. */
  onSubmit: (name: string) => Promise<boolean>;
  onCancel?: () => void;
}) {
  const [name, setName] = useState(first);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "" || isBusy) return;
    void onSubmit(name.trim()).then((done) => done && setName(""));
  };
  return (
    <form className="flex items-end gap-2" onSubmit={submit}>
      <TextField
        label={label}
        value={name}
        maxLength={longestViewName}
        className="min-w-0 flex-1"
        onChange={setName}
      />
      {onCancel && (
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Button type="submit" disabled={name.trim() === "" || isBusy}>
        {action}
      </Button>
    </form>
  );
}

interface ViewsPanelProps {
  of: SavedPage;
  /** What is shown, as an address. Whoever opens a link sees the columns that whoever made it saw. */
  current: string;
  onClose: () => void;
}

/** The saved views, and what can be done with each; and a way to save what is shown. */
export function ViewsPanel({ of, current, onClose }: ViewsPanelProps) {
  const router = useRouter();
  const views = useQuery(viewQueries.views(of.page));
  const { save, change, remove } = useViewChanges(of.page);
  const [renamed, setRenamed] = useState<string>();
  const [error, setError] = useState<string>();
  const act = async (work: Promise<unknown>) => {
    setError(undefined);
    try {
      await work;
      return true;
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    }
  };
  const show = ({ search }: SavedView) => {
    router.history.push(`${router.history.location.pathname}${of.kept(search)}`);
    onClose();
  };
  const drop = async ({ id, ...was }: SavedView) => {
    if (!(await act(remove.mutateAsync({ id, ...was })))) return;
    toastDone(`View "${was.name}" deleted`, {
      label: "Undo",
      isUndo: true,
      onSelect: () => save.mutate(was, { onError: (failure) => toastFailed(messageOf(failure)) }),
    });
  };
  const link = (search: string) =>
    `${window.location.origin}${router.history.location.pathname}${search}`;

  return (
    <div className="flex max-h-[min(480px,var(--available-height))] w-80 max-w-full flex-col gap-2 p-3">
      {views.isPending ? (
        <SkeletonRows label="loading data..." />
      ) : views.isError ? (
        <ErrorDisplay
          title="The views could not be loaded"
          message={messageOf(views.error)}
          onRetry={() => void views.refetch()}
        />
      ) : views.data.length === 0 ? (
        <p className="m-0 text-sm text-muted">
          A view is what the page shows now: filters, columns, order and range. Save it under a name
          to come back to it.
        </p>
      ) : (
        <ul aria-label="Saved views" className="m-0 -mx-1 min-h-0 list-none overflow-y-auto p-0">
          {views.data.map((saved) =>
            saved.id === renamed ? (
              <li key={saved.id} className="p-1">
                <NameForm
                  label={`New name of ${saved.name}`}
                  first={saved.name}
                  action="Rename"
                  isBusy={change.isPending}
                  onCancel={() => setRenamed(undefined)}
                  onSubmit={async (name) => {
                    const done = await act(change.mutateAsync({ id: saved.id, name }));
                    if (done) setRenamed(undefined);
                    return done;
                  }}
                />
              </li>
            ) : (
              <li key={saved.id} className="flex min-w-0 items-center gap-1">
                <button
                  type="button"
                  onClick={() => show(saved)}
                  className="flex min-h-7 min-w-0 flex-1 items-center gap-2 rounded-control border-0 bg-transparent px-1 text-left text-sm hover:bg-hover"
                >
                  <Check
                    aria-hidden="true"
                    {...icon}
                    className={
                      isSameView(of.kept(saved.search), current) ? "shrink-0" : "invisible shrink-0"
                    }
                  />
                  <bdi className="truncate">{saved.name}</bdi>
                  {saved.is_default && <Badge>default</Badge>}
                </button>
                <RowMenu
                  name={saved.name}
                  entries={[
                    {
                      kind: "action",
                      label: "Update to what is shown",
                      icon: <RefreshCw {...icon} />,
                      onSelect: () =>
                        void act(change.mutateAsync({ id: saved.id, search: current })).then(
                          (done) => done && toastDone(`View "${saved.name}" updated`),
                        ),
                    },
                    {
                      kind: "action",
                      label: "Rename",
                      icon: <Pencil {...icon} />,
                      onSelect: () => setRenamed(saved.id),
                    },
                    {
                      kind: "action",
                      label: saved.is_default
                        ? `Do not open ${of.name} with it`
                        : `Open ${of.name} with it`,
                      icon: saved.is_default ? <StarOff {...icon} /> : <Star {...icon} />,
                      onSelect: () =>
                        void act(
                          change.mutateAsync({ id: saved.id, is_default: !saved.is_default }),
                        ),
                    },
                    {
                      kind: "action",
                      label: "Copy link",
                      icon: <Copy {...icon} />,
                      onSelect: () => void copyText(link(of.kept(saved.search))),
                    },
                    { kind: "separator" },
                    {
                      kind: "action",
                      label: "Delete",
                      icon: <Trash2 {...icon} />,
                      onSelect: () => void drop(saved),
                    },
                  ]}
                />
              </li>
            ),
          )}
        </ul>
      )}
      {error !== undefined && (
        <p role="alert" className="m-0 text-sm break-words text-unhealthy-fg">
          {error}
        </p>
      )}
      <div className="flex flex-col gap-2 border-t pt-2">
        <NameForm
          label="Save what is shown as"
          action="Save"
          isBusy={save.isPending}
          onSubmit={(name) => act(save.mutateAsync({ name, search: current, is_default: false }))}
        />
        <Button
          kind="quiet"
          className="self-start"
          icon={<Copy {...icon} />}
          onClick={() => void copyText(link(current))}
        >
          Copy link to what is shown
        </Button>
      </div>
    </div>
  );
}
