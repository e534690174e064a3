import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { TextAreaField } from "@mainstay/ui/fields/TextField.tsx";
import type { TextAsideProps } from "#lib/documents/document-kinds.ts";
import { useDraft } from "#lib/use-draft.ts";
import { editorQueries } from "../queries.ts";
import { readContext } from "./read-context.ts";
import { type ScriptAt, scriptAt, scriptLanguages } from "./script-at.ts";
import { ScriptOutcome } from "./ScriptOutcome.tsx";

const pauseMs = 400;

/** The value as it was before the last change that is younger than a pause. */
function usePaused<Value>(value: Value): Value {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}

/** What scripts are given where no result is stored yet. */
const exampleContext = ({ checkName, checkType, canary }: ScriptAt) => ({
  check: { name: checkName, type: checkType, labels: {} },
  canary: { ...canary, labels: {} },
  pass: true,
  duration: 12,
  message: "",
  error: "",
  results: {},
});

function OneScript({ script, id }: { script: ScriptAt; id: string | undefined }) {
  const { checkType, checkName } = script;
  const last = useQuery(editorQueries.lastContext({ canaryId: id, checkType, checkName }));
  // Without it something else would be tried first.
  if (last.isPending) return null;
  return <Trial script={script} id={id} last={last.data ?? null} />;
}

function Trial({
  script,
  id,
  last,
}: {
  script: ScriptAt;
  id: string | undefined;
  last: { checkId: string; context: Record<string, unknown> } | null;
}) {
  const { checkType, checkName, language, name, text } = script;
  const isStored = last !== null;
  const initial = JSON.stringify(last?.context ?? exampleContext(script), null, 2);
  const draft = useDraft(`script.${id ?? "new"}.${checkType}.${checkName}`, initial);
  const read = readContext(draft.text);
  const paused = usePaused(JSON.stringify([language, text, draft.text]));
  const [, script_, contextText] = JSON.parse(paused) as [string, string, string];
  const asked = readContext(contextText);
  // As it is stored the server knows it better: with its times, for example.
  const given =
    last !== null && contextText === initial
      ? { check: last.checkId }
      : { context: "context" in asked ? asked.context : {} };
  const outcome = useQuery({
    ...editorQueries.evaluated({ language, script: script_, ...given }),
    enabled: "context" in asked && script_.trim() !== "",
    placeholderData: keepPreviousData,
  });
  return (
    <section
      aria-label="Try the script"
      className="flex w-96 shrink-0 flex-col gap-3 overflow-auto rounded-card border bg-surface p-3 max-desk:max-h-[70vh] max-desk:w-full"
    >
      <h3 className="m-0 flex flex-wrap items-center gap-2 text-sm font-semibold">
        Try the script
        <Badge>{name}</Badge>
        <Badge>{scriptLanguages[language]}</Badge>
      </h3>
      <TextAreaField
        label="Context"
        hint={
          isStored
            ? draft.isChanged
              ? "Changed here. It is kept in this browser."
              : "The last result of the check. Change it to try others."
            : "The check has no result yet: this is made up. Change it to try others."
        }
        error={"problem" in read ? read.problem : undefined}
        isCode
        rows={12}
        spellCheck={false}
        value={draft.text}
        onChange={draft.change}
      />
      {draft.isChanged && (
        <Button className="self-start" onClick={draft.discard}>
          {isStored ? "Use the last result" : "Start over"}
        </Button>
      )}
      <ScriptOutcome
        name={name}
        isEmpty={text.trim() === ""}
        data={outcome.data}
        error={outcome.isPlaceholderData ? null : outcome.error}
        isOld={outcome.isPlaceholderData || outcome.isFetching}
      />
    </section>
  );
}

/** The script that the cursor is in, evaluated with the last result of its check or with what somebody writes. */
export function ScriptBox({ text, offset, id }: TextAsideProps) {
  const at = scriptAt(text, offset);
  const [known, setKnown] = useState<ScriptAt>();
  // While somebody types, a text is often no YAML for a moment.
  if (at !== "unreadable" && JSON.stringify(at) !== JSON.stringify(known)) setKnown(at);
  const script = at === "unreadable" ? known : at;
  if (!script) return null;
  return <OneScript key={`${script.checkType}.${script.checkName}`} script={script} id={id} />;
}
