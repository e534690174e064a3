import { FoldVertical, Link, Minus, Plus, UnfoldVertical } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import type { LogTerm } from "@mainstay/contract/logs/log-search.ts";
import { exactTime } from "@mainstay/ui/Age.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { copyText, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import type { ShownLine } from "../shared/group-lines.ts";
import { logsCodec, type LogsQuestion, type LogsView } from "../shared/logs-view.ts";
import { timeText } from "../shared/time-text.ts";
import { loadGrammar, useGrammar } from "../shared/use-grammar.ts";
import { withoutColours } from "../shared/without-colours.ts";
import { fieldsOf, jsonOf } from "./fields-of.ts";
import { LineContext } from "./LineContext.tsx";

const aroundMs = 30 * 60_000;
const longestText = 4000;

/** The address of a line: its source and search, and half an hour before and after it. */
function linkTo(view: LogsView, { id, timestamp }: ShownLine["line"]): string {
  const moment = Date.parse(timestamp);
  const at = (ms: number) => new Date(ms).toISOString();
  const timeRange = {
    kind: "absolute" as const,
    from: at(moment - aroundMs),
    to: at(moment + aroundMs),
  };
  return `${location.origin}${paths.logs(logsCodec.format({ ...view, timeRange, line: id, selected: [], live: false }))}`;
}

function Row({
  name,
  text,
  term,
  query,
  onTerm,
}: {
  name: string;
  text: string;
  term: LogTerm;
  query: string;
  onTerm: (term: LogTerm) => void;
}) {
  const grammar = useGrammar(query !== "");
  const isRead = grammar?.readLogSearch(query).error === undefined;
  const state = grammar && isRead ? grammar.stateOfTerm(query, term) : "neither";
  return (
    <tr className="group/field border-t first:border-t-0">
      <th scope="row" className="w-px py-0.5 pr-3 text-left align-top font-normal text-muted">
        <bdi className="inline-block max-w-28 font-mono break-words desk:max-w-72">{name}</bdi>
      </th>
      <td className="py-0.5 align-top font-mono break-words whitespace-pre-wrap">
        <bdi>{text.slice(0, longestText)}</bdi>
      </td>
      <td className="w-px py-0 text-right align-top whitespace-nowrap">
        <IconButton
          label={`Only lines with this ${name}`}
          aria-pressed={state === "has"}
          className="size-6!"
          icon={<Plus size={14} strokeWidth={1.75} />}
          onClick={() => onTerm({ ...term, isNot: false })}
        />
        <IconButton
          label={`Leave out lines with this ${name}`}
          aria-pressed={state === "excludes"}
          className="size-6!"
          icon={<Minus size={14} strokeWidth={1.75} />}
          onClick={() => onTerm({ ...term, isNot: true })}
        />
        <CopyButton label={`Copy ${name}`} text={text} className="size-6!" />
      </td>
    </tr>
  );
}

const Table = ({ label, children }: { label: string; children: ReactNode }) => (
  <table aria-label={label} className="w-full border-collapse text-xs">
    <tbody>{children}</tbody>
  </table>
);

export interface LineDetailsProps {
  shown: ShownLine;
  view: LogsView;
  source: Pick<LogsQuestion, "id" | "name" | "backend">;
  onQuery: (query: string) => void;
}

/** All that a line says: its labels, the fields of its message, and what is around it. */
export function LineDetails({ shown, view, source, onQuery }: LineDetailsProps) {
  const { line, count, oldest } = shown;
  const [hasContext, setHasContext] = useState(false);
  const json = useMemo(() => jsonOf(line.message), [line.message]);
  const labels = Object.entries(line.labels).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const toggle = (term: LogTerm) => {
    loadGrammar().then(
      ({ toggleTerm, readLogSearch }) => {
        const { error } = readLogSearch(view.query);
        if (error) toastFailed("The search has a mistake: mend it first.");
        else onQuery(toggleTerm(view.query, term));
      },
      (failure: unknown) => toastFailed(messageOf(failure)),
    );
  };
  return (
    <div className="flex flex-col gap-2 bg-sunken px-4 py-2 text-sm whitespace-normal">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <time dateTime={line.timestamp} className="text-xs text-muted">
          {`${exactTime(Date.parse(line.timestamp)).split("\n")[0]} · ${line.timestamp}`}
        </time>
        {count > 1 && (
          <span className="text-xs text-muted">
            {`${count} times since ${timeText(oldest.timestamp)}`}
          </span>
        )}
        <span className="flex flex-wrap gap-1 desk:ml-auto">
          <CopyButton isLabelled label="Copy line" text={line.message} />
          <CopyButton
            isLabelled
            label="Copy JSON"
            text={() => JSON.stringify(line, undefined, 2)}
          />
          <Button
            icon={<Link size={14} strokeWidth={1.75} />}
            onClick={() => void copyText(linkTo(view, line))}
          >
            Copy link
          </Button>
          <Button
            aria-expanded={hasContext}
            icon={
              hasContext ? (
                <FoldVertical size={14} strokeWidth={1.75} />
              ) : (
                <UnfoldVertical size={14} strokeWidth={1.75} />
              )
            }
            onClick={() => setHasContext(!hasContext)}
          >
            Before and after
          </Button>
        </span>
      </div>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled
        tabIndex={0}
        aria-label="Message"
        className="m-0 max-h-80 overflow-auto rounded-control border bg-surface p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {json ? JSON.stringify(json, undefined, 2) : withoutColours(line.message)}
      </pre>
      {line.length !== undefined && (
        <p className="m-0 text-xs text-muted">
          {`The first ${line.message.length.toLocaleString("en-GB")} of ${line.length.toLocaleString("en-GB")} characters.`}
        </p>
      )}
      {json && (
        <Table label="Fields of the message">
          {fieldsOf(json).map(({ path, text }) => (
            <Row
              key={path}
              name={path}
              text={text}
              term={{ kind: "text", text, isNot: false }}
              query={view.query}
              onTerm={toggle}
            />
          ))}
        </Table>
      )}
      {labels.length > 0 && (
        <Table label="Labels">
          {labels.map(([name, value]) => (
            <Row
              key={name}
              name={name}
              text={value}
              term={{ kind: "label", label: name, values: [value], isNot: false }}
              query={view.query}
              onTerm={toggle}
            />
          ))}
        </Table>
      )}
      {hasContext && <LineContext source={source} line={line} />}
    </div>
  );
}
