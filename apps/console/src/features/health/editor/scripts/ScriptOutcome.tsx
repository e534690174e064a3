import { messageOf } from "#lib/api-error.ts";
import type { ScriptTrialReply } from "@mainstay/contract/health.ts";

export interface ScriptOutcomeProps {
  /** Of the script: what it decides. */
  name: string;
  isEmpty: boolean;
  data: ScriptTrialReply | undefined;
  error: unknown;
  /** Of what was written before. */
  isOld: boolean;
}

/** What a value means where the script stands. */
function meaningOf(name: string, text: string): string | undefined {
  if (name === "display") return `The message would be: ${text}`;
  if (name !== "test") return undefined;
  return { true: "The check would pass.", false: "The check would fail." }[text.trim()];
}

/** What came of a script: a value, a text, or what is wrong with it and where. */
export function ScriptOutcome({ name, isEmpty, data, error, isOld }: ScriptOutcomeProps) {
  if (isEmpty) return <p className="m-0 text-sm text-muted">The script is empty.</p>;
  const look = `m-0 max-h-60 overflow-auto rounded-control border bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap ${isOld ? "opacity-60" : ""}`;
  if (error)
    return (
      <p role="alert" className="m-0 text-sm text-unhealthy-fg">
        {messageOf(error)}
      </p>
    );
  if (!data) return <p className="m-0 text-sm text-muted">Evaluating...</p>;
  if ("error" in data) {
    const { line, column } = data;
    const place = [
      ...(line === undefined ? [] : [`Line ${line}`]),
      ...(column === undefined ? [] : [`column ${column}`]),
    ].join(", ");
    return (
      <div role="status" aria-label="Result" className="flex flex-col gap-1">
        <span className="text-xs text-muted">{place === "" ? "Error" : place}</span>
        <pre className={`${look} text-unhealthy-fg`}>{data.error}</pre>
      </div>
    );
  }
  const { value, text } = data;
  const isText = typeof value === "string";
  const meaning = meaningOf(name, text);
  return (
    <div role="status" aria-label="Result" className="flex flex-col gap-1">
      <span className="text-xs text-muted">{isText ? "Text" : "Value"}</span>
      <pre className={look}>
        {isText ? value || " " : (JSON.stringify(value, null, 2) ?? "nothing")}
      </pre>
      {meaning !== undefined && <span className="text-xs text-muted">{meaning}</span>}
    </div>
  );
}
