import { useQuery } from "@tanstack/react-query";
import { Code, Trash2, Zap } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ConnectionType } from "@mainstay/contract/connections/connection-type.ts";
import { isKeptInConsole, placeOf } from "@mainstay/contract/sources.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf, serverIssues } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { FormDialog } from "#lib/FormDialog.tsx";
import { GatedButton } from "#lib/GatedButton.tsx";
import { paths } from "#lib/paths.ts";
import { HistoryLink } from "#lib/resources/HistoryLink.tsx";
import { useAccess } from "#lib/use-access.ts";
import { checkForm, type ConnectionErrors, readForm, storedSecrets } from "./connection-form.ts";
import { ConnectionFields } from "./ConnectionFields.tsx";
import { ConnectionUses } from "./ConnectionUses.tsx";
import { useConnectionChanges } from "./mutations.ts";
import { type Connection, connectionQueries } from "./queries.ts";
import { useConnectionForm } from "./use-connection-form.ts";

export interface ConnectionDialogProps {
  type: ConnectionType;
  /** Nothing for a new one. */
  stored: Connection | null;
  /** It was deleted while it was open. */
  isGone?: boolean;
  isTesting: boolean;
  onTest: (connection: Connection) => void;
  onDelete: (connection: Connection) => void;
  onClose: () => void;
  /** To another type. */
  onBack?: () => void;
  /** Dialogs over this one, which must be within it. */
  children?: ReactNode;
}

/** The fields that a refusal of the server is about, and what is left of it for the whole. */
function refusalOf(type: ConnectionType, error: Error) {
  const errors: Record<string, string> = {};
  for (const { path = "", message } of serverIssues(error)) {
    const known = ["name", "namespace", ...type.fields.map(({ key }) => key)];
    const key = known.find((one) => path === one || path.endsWith(`.${one}`));
    if (key !== undefined) errors[key] = message;
  }
  return { errors, refusal: messageOf(error) };
}

const lostSecret = "The key that it was stored with is lost: write it again.";

/** A connection of one type, new or stored. */
export function ConnectionDialog(props: ConnectionDialogProps) {
  const { type, stored, isGone = false, onClose } = props;
  const state = useConnectionForm(type, stored);
  const [errors, setErrors] = useState<ConnectionErrors>({});
  const [refusal, setRefusal] = useState<string>();
  const access = useAccess();
  const { add, update } = useConnectionChanges();
  const { data: about } = useQuery({
    ...connectionQueries.uses(stored?.id ?? ""),
    enabled: stored !== null && !isGone,
  });
  const lost = about?.lost?.filter((key) => state.form.kept.includes(key)) ?? [];
  const isBusy = add.isPending || update.isPending;
  const whyNot = access.whyNot("write", "connections");
  const locked = isGone
    ? "This connection was deleted meanwhile. What is here can be read and copied, but not saved."
    : stored && !isKeptInConsole(stored.source)
      ? `This connection is kept in ${placeOf(stored.source)} and changed there.`
      : whyNot;

  const save = () => {
    setRefusal(undefined);
    const found = checkForm(type, state.form, stored);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const input = {
      name: state.form.name.trim(),
      namespace: state.form.namespace.trim(),
      ...readForm(type, state.form, stored),
    };
    const onError = (error: Error) => {
      const read = refusalOf(type, error);
      setErrors(read.errors);
      setRefusal(read.refusal);
    };
    if (stored)
      update.mutate(
        { input, seen: stored },
        {
          onError,
          onSuccess: () => {
            state.discard();
            toastDone("Connection updated successfully");
            onClose();
          },
        },
      );
    else
      add.mutate(
        { type: type.type, input },
        {
          onError,
          onSuccess: (row) => {
            state.discard();
            const { id, name } = row;
            toastDone("Connection added successfully", {
              label: "Test",
              onSelect: () => props.onTest({ ...row, id, name } as unknown as Connection),
            });
            onClose();
          },
        },
      );
  };

  return (
    <FormDialog
      title={stored ? stored.name : `Add ${type.label} connection`}
      size="medium"
      action={stored ? "Update" : "Save"}
      busyAction={stored ? "Updating" : "Saving"}
      isBusy={isBusy}
      error={refusal}
      locked={locked}
      onSubmit={save}
      onClose={onClose}
      headerActions={
        stored &&
        !isGone && (
          <>
            <AppLink
              to={paths.document("connection", stored.id)}
              data-tooltip="As a document"
              className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control border border-control bg-raised px-2.5 text-sm font-medium hover:bg-hover"
            >
              <Code aria-hidden="true" size={14} strokeWidth={1.75} />
              YAML
            </AppLink>
            <HistoryLink kind="connection" id={stored.id} />
          </>
        )
      }
      footerStart={
        stored &&
        !isGone &&
        whyNot === undefined && (
          <span className="flex flex-wrap gap-2">
            {isKeptInConsole(stored.source) && (
              <GatedButton
                kind="danger"
                whyNot={undefined}
                icon={<Trash2 size={14} strokeWidth={1.75} />}
                onClick={() => props.onDelete(stored)}
              >
                Delete
              </GatedButton>
            )}
            <GatedButton
              whyNot={state.isChanged ? "What is stored is tested: save first." : undefined}
              aria-busy={props.isTesting}
              icon={<Zap size={14} strokeWidth={1.75} />}
              onClick={() => props.onTest(stored)}
            >
              {props.isTesting ? "Testing" : "Test"}
            </GatedButton>
          </span>
        )
      }
    >
      <p className="m-0 flex items-center gap-2 text-sm text-muted">
        <Icon name={type.type} size={20} />
        <span className="min-w-0">
          <span className="font-medium text-text">{type.label}</span>: {type.help}
        </span>
        {props.onBack && (
          <GatedButton kind="quiet" className="ml-auto" whyNot={undefined} onClick={props.onBack}>
            Other type
          </GatedButton>
        )}
      </p>
      {state.isBegun && locked === undefined && (
        <p
          role="status"
          className="m-0 flex items-center gap-2 rounded-control bg-info-bg p-2 text-sm text-info-fg"
        >
          <span className="min-w-0 flex-1">
            What you had begun is here again, but for secrets: those are never kept.
          </span>
          <GatedButton whyNot={undefined} onClick={state.discard}>
            Discard changes
          </GatedButton>
        </p>
      )}
      {state.notice !== undefined && !isBusy && !isGone && (
        <p role="status" className="m-0 rounded-control bg-info-bg p-2 text-sm text-info-fg">
          {state.notice}
        </p>
      )}
      <ConnectionFields
        type={type}
        state={state}
        storedSecrets={stored ? storedSecrets(type, stored) : []}
        errors={{ ...Object.fromEntries(lost.map((key) => [key, lostSecret])), ...errors }}
        isNew={stored === null}
        readOnly={locked !== undefined}
      />
      {stored && !isGone && (
        <section aria-label="Used by" className="flex flex-col gap-1 border-t pt-3">
          <h3 className="m-0 text-xs font-semibold text-muted">Used by</h3>
          <ConnectionUses id={stored.id} />
        </section>
      )}
      {props.children}
    </FormDialog>
  );
}
