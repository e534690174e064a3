import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { isKeptInConsole, ownSource } from "@mainstay/contract/sources.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { useAccess } from "#lib/use-access.ts";
import { messageOf, serverIssues } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { useDraft } from "#lib/use-draft.ts";
import { useDeleteCanary, useUpdateCanary } from "../mutations.ts";
import { loadCanaryFormReader, loadCanaryLanguage } from "./load-canary-language.ts";
import { Problems } from "#lib/documents/Problems.tsx";
import type { CanaryRow } from "../queries.ts";

const Confirm = lazy(() =>
  import("@mainstay/ui/Confirm.tsx").then((module) => ({ default: module.Confirm })),
);

/** Documents from elsewhere are changed where they come from (document 3, section 2); deleting them is left to people. */
const isOwn = (canary: CanaryRow) => isKeptInConsole(canary.source);

function Origin({ source }: { source: string }) {
  return (
    <p className="m-0 rounded-control border bg-sunken px-3 py-2 text-sm">
      {source === ownSource ? (
        "By this document Mainstay watches itself. It follows the server's settings; deleted, it stays deleted."
      ) : (
        <>
          This document comes from <span className="font-mono text-xs">{source}</span> and is
          changed there.
        </>
      )}
    </p>
  );
}

export interface CanaryFormProps {
  canary: CanaryRow;
  texts: { spec: string; labels: string };
}

export function CanaryForm({ canary, texts }: CanaryFormProps) {
  const router = useRouter();
  const access = useAccess();
  const whyNot = access.whyNot("write", "canaries");
  const whyNoCode = access.whyNot("write", "server_code");
  const mayDelete = whyNot === undefined;
  const mayWrite = mayDelete && isOwn(canary);
  const spec = useDraft(`canary.${canary.id}.spec`, texts.spec);
  const labels = useDraft(`canary.${canary.id}.labels`, texts.labels);
  const [problems, setProblems] = useState<Parameters<typeof Problems>[0]["problems"]>([]);
  const [asksToDelete, setAsksToDelete] = useState(false);
  const update = useUpdateCanary(canary.id);
  const remove = useDeleteCanary(canary.id);
  const isChanged = spec.isChanged || labels.isChanged;
  const language = useQuery({
    queryKey: ["health", "canary-spec-language", whyNoCode ?? ""],
    queryFn: async () => (await loadCanaryLanguage()).canaryLanguage({ bare: true, whyNoCode }),
    staleTime: Infinity,
  });

  const discard = () => {
    spec.discard();
    labels.discard();
    setProblems([]);
  };

  const save = async () => {
    setProblems([]);
    const { readCanaryForm } = await loadCanaryFormReader();
    const read = readCanaryForm({
      spec: spec.text,
      labels: labels.text,
      name: canary.name,
      namespace: canary.namespace,
    });
    if ("problems" in read) return setProblems(read.problems);
    update.mutate(read, {
      onError: (error) => {
        void loadCanaryLanguage().then(({ placeInText }) => {
          const issues = placeInText(spec.text, serverIssues(error), { bare: true });
          setProblems(
            issues.length > 0
              ? issues.map((issue) => ({ ...issue, severity: "error" as const }))
              : [{ severity: "error", path: "", message: messageOf(error) }],
          );
        });
      },
      onSuccess: () => {
        discard();
        toastDone(`${canary.name} updated successfully`);
        router.history.push(paths.health());
      },
    });
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-4">
        <div className="flex flex-wrap gap-4">
          <label className="flex min-w-60 flex-1 flex-col gap-1 text-xs text-muted">
            Name
            <input value={canary.name} readOnly className="field" />
          </label>
          <label className="flex min-w-60 flex-1 flex-col gap-1 text-xs text-muted">
            Namespace
            <input value={canary.namespace} readOnly className="field" />
          </label>
        </div>
        {!isOwn(canary) && <Origin source={canary.source ?? ""} />}
        {whyNot !== undefined && (
          <p role="status" className="m-0 text-sm text-muted">
            {whyNot}
          </p>
        )}
        <div className="flex h-48 shrink-0 flex-col gap-1">
          <span className="text-xs text-muted">Labels</span>
          <YamlEditor
            label="Labels"
            value={labels.text}
            onChange={labels.change}
            readOnly={!mayWrite}
          />
        </div>
        <div className="flex min-h-80 flex-1 flex-col gap-1">
          <span className="text-xs text-muted">Spec</span>
          <YamlEditor
            label="Spec"
            value={spec.text}
            onChange={spec.change}
            readOnly={!mayWrite}
            {...(language.data ? { language: language.data } : {})}
          />
        </div>
        <Problems
          problems={problems}
          title={
            problems.length === 1
              ? "Not saved: 1 problem"
              : `Not saved: ${problems.length} problems`
          }
        />
      </div>
      {mayDelete && (
        <footer className="flex shrink-0 items-center gap-2 border-t bg-surface px-4 py-2.5">
          <Button kind="danger" onClick={() => setAsksToDelete(true)}>
            Delete
          </Button>
          {isChanged && (
            <Button kind="quiet" className="ml-auto" onClick={discard}>
              Discard changes
            </Button>
          )}
          {mayWrite && (
            <Button
              kind="primary"
              className={isChanged ? "" : "ml-auto"}
              disabled={update.isPending || !isChanged}
              onClick={() => void save()}
            >
              {update.isPending ? "Updating" : "Update"}
            </Button>
          )}
        </footer>
      )}
      <Suspense>
        {asksToDelete && (
          <Confirm
            title={`Delete ${canary.name}?`}
            action={remove.isPending ? "Deleting" : "Delete"}
            isBusy={remove.isPending}
            onClose={() => setAsksToDelete(false)}
            onConfirm={() =>
              remove.mutate(undefined, {
                onSuccess: () => {
                  discard();
                  toastDone(`${canary.name} deleted successfully`);
                  router.history.push(paths.health());
                },
              })
            }
          >
            Its checks stop running and leave the health page, with their history.
            {!isOwn(canary) &&
              canary.source !== ownSource &&
              ` When ${canary.source} is applied again, it comes back.`}
          </Confirm>
        )}
      </Suspense>
    </div>
  );
}
