import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { useAccess } from "#lib/use-access.ts";
import { messageOf, type ServerIssue, serverIssues } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { useDraft } from "#lib/use-draft.ts";
import { canaryTemplate } from "./canary-template.ts";
import { useRunDocument, useSaveCanaries } from "../mutations.ts";
import { loadCanaryLanguage } from "./load-canary-language.ts";
import { Problems } from "#lib/documents/Problems.tsx";
import { RunResults } from "./RunResults.tsx";

type Refusal = { title: string; problems: Parameters<typeof Problems>[0]["problems"] };

export function AddCheckDialog({ onClose }: { onClose: () => void }) {
  const draft = useDraft("add-check", canaryTemplate);
  const whyNoCode = useAccess().whyNot("write", "server_code");
  const language = useQuery({
    queryKey: ["health", "canary-language", whyNoCode ?? ""],
    queryFn: async () => (await loadCanaryLanguage()).canaryLanguage({ whyNoCode }),
    staleTime: Infinity,
  });
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const run = useRunDocument();
  const save = useSaveCanaries();
  const isBusy = run.isPending || save.isPending;

  /** The documents, or nothing after saying what is wrong with them. */
  const read = async () => {
    const { parseCanaryDocuments } = await loadCanaryLanguage();
    const { documents, problems } = parseCanaryDocuments(draft.text);
    const errors = problems.filter(({ severity }) => severity === "error");
    if (errors.length === 0 && documents.length > 0) return documents;
    setRefusal({
      title:
        errors.length === 0
          ? "There is no document here"
          : errors.length === 1
            ? "1 problem in the document"
            : `${errors.length} problems in the document`,
      problems:
        errors.length === 0
          ? [{ severity: "error", path: "", message: "Write a Canary document first." }]
          : errors,
    });
    return null;
  };

  const refuse = (what: string, error: unknown, issues: ServerIssue[] = serverIssues(error)) => {
    setRefusal({
      title: what,
      problems:
        issues.length > 0
          ? issues.map((issue) => ({
              ...issue,
              path: issue.path ?? "",
              severity: "error" as const,
            }))
          : [{ severity: "error", path: "", message: messageOf(error) }],
    });
  };

  const runOnce = async () => {
    setRefusal(null);
    run.reset();
    if (!(await read())) return;
    run.mutate(draft.text, { onError: (error) => refuse("The document was not run", error) });
  };

  const store = async () => {
    setRefusal(null);
    const documents = await read();
    if (!documents) return;
    save.mutate(
      documents.map(({ name, namespace, labels, source }) => ({
        name,
        namespace,
        labels,
        spec: source,
      })),
      {
        onError: (error) => {
          // Its places are those of the rows that were sent.
          const several = documents.length > 1;
          void loadCanaryLanguage().then(({ placeInText }) =>
            refuse("Not saved", error, placeInText(draft.text, serverIssues(error), { several })),
          );
        },
        onSuccess: (saved) => {
          draft.discard();
          toastDone(
            saved.length === 1
              ? `Saved ${saved[0]?.name ?? ""}`
              : `Saved ${saved.length} documents`,
          );
          onClose();
        },
      },
    );
  };

  return (
    <Dialog
      title="Add check"
      size="large"
      expandable
      keepOpenOnOutsidePress
      helpLink={paths.help()}
      onClose={onClose}
      bodyClassName="gap-3 p-4"
      footer={
        <>
          {draft.isChanged && (
            <Button
              kind="quiet"
              className="mr-auto"
              onClick={() => {
                draft.discard();
                setRefusal(null);
                run.reset();
              }}
            >
              Discard draft
            </Button>
          )}
          <Button
            icon={<Play size={14} strokeWidth={1.75} />}
            disabled={isBusy}
            onClick={() => void runOnce()}
          >
            {run.isPending ? "Running..." : "Run once"}
          </Button>
          <Button kind="primary" disabled={isBusy} onClick={() => void store()}>
            {save.isPending ? "Saving" : "Save"}
          </Button>
        </>
      }
    >
      <p className="m-0 text-sm text-muted">
        Paste or write one Canary document, or several with <code className="font-mono">---</code>{" "}
        between. What you type is kept until it is saved.
        {whyNoCode !== undefined &&
          ` Checks with programs, local folders or sockets need a permission of their own. ${whyNoCode}`}
      </p>
      <div className="flex h-[46vh] min-h-60 flex-1 flex-col">
        <YamlEditor
          label="Canary document"
          value={draft.text}
          onChange={draft.change}
          {...(language.data ? { language: language.data } : {})}
        />
      </div>
      {refusal && <Problems {...refusal} />}
      {run.data && <RunResults results={run.data.results ?? []} />}
    </Dialog>
  );
}
