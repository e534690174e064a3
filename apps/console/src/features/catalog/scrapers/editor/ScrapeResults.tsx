import { ChevronRight } from "lucide-react";
import type {
  ScrapeTrial,
  ScrapeTrialReply,
  TriedChange,
  TriedInsight,
  TriedItem,
  TriedRelation,
} from "@mainstay/contract/catalog-trial.ts";
import { HealthBadge } from "../../figures/HealthBadge.tsx";
import { ItemIcon } from "../../shared/ItemIcon.tsx";
import { Severity } from "../../shared/Severity.tsx";

const words = (count: number, one: string) =>
  `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;

function Told({ title, messages, tone }: { title: string; messages: string[]; tone: string }) {
  if (messages.length === 0) return null;
  return (
    <section aria-label={title}>
      <h4 className="m-0 text-xs font-medium text-muted">{title}</h4>
      <ul className={`m-0 list-none p-0 text-xs ${tone}`}>
        {messages.map((message, place) => (
          <li key={place} className="break-words whitespace-pre-wrap">
            {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Item({ item }: { item: TriedItem }) {
  const tags = Object.entries(item.tags).map(([key, value]) => `${key}=${value}`);
  const head = (
    <>
      <ItemIcon type={item.type} size={14} />
      <bdi className="min-w-0 truncate font-medium">{item.name}</bdi>
      <span className="min-w-0 truncate text-xs text-muted">{item.type}</span>
      {(item.health ?? item.status) && (
        <span className="ml-auto shrink-0 text-xs">
          <HealthBadge health={item.health} status={item.status} />
        </span>
      )}
    </>
  );
  const row = "flex min-h-7 items-center gap-2";
  return (
    <li className="rounded-control border bg-surface px-2.5 py-1">
      {item.config === undefined ? (
        <div className={`${row} pl-5.5`}>{head}</div>
      ) : (
        <details className="group">
          <summary className={`${row} cursor-pointer list-none [&::-webkit-details-marker]:hidden`}>
            <ChevronRight
              aria-hidden="true"
              size={14}
              strokeWidth={1.75}
              className="shrink-0 text-muted transition-transform duration-120 group-open:rotate-90"
            />
            {head}
          </summary>
          <pre className="m-0 rounded-control bg-sunken p-2 font-mono text-2xs break-all whitespace-pre-wrap">
            {JSON.stringify(item.config, undefined, 2)}
          </pre>
        </details>
      )}
      <p className="m-0 font-mono text-2xs break-all text-muted">
        {[item.external_id, ...tags].join("  ")}
      </p>
    </li>
  );
}

function Happened({ changes, insights }: { changes: TriedChange[]; insights: TriedInsight[] }) {
  const lines = [
    ...changes.map((one) => ({ ...one, what: one.change_type })),
    ...insights.map((one) => ({ ...one, what: one.analyzer })),
  ];
  return lines.map(({ what, item, severity, summary }, place) => (
    <li
      key={place}
      className="flex items-center gap-2 rounded-control border bg-surface px-2.5 py-1"
    >
      <Severity severity={severity} />
      <span className="shrink-0 font-medium">{what}</span>
      <span className="min-w-0 truncate text-xs text-muted" data-tooltip={item}>
        {[item, summary].filter(Boolean).join(": ")}
      </span>
    </li>
  ));
}

const Ties = ({ relations }: { relations: readonly TriedRelation[] }) =>
  relations.map(({ from, relation, to }, place) => (
    <li
      key={place}
      className="flex items-center gap-2 rounded-control border bg-surface px-2.5 py-1"
    >
      <bdi className="min-w-0 truncate font-mono text-xs" data-tooltip={from}>
        {from}
      </bdi>
      <span className="shrink-0 text-xs text-muted">{relation}</span>
      <bdi className="min-w-0 truncate font-mono text-xs" data-tooltip={to}>
        {to}
      </bdi>
    </li>
  ));

/** What was found, in a line. */
function summaryOf({ found, complete }: ScrapeTrial): string {
  if (!complete && found.items + found.changes + found.insights === 0)
    return "Nothing could be read, and nothing was stored.";
  return `Found ${words(found.items, "item")}, ${words(found.changes, "change")} and ${words(found.insights, "insight")}. Nothing was stored.${complete ? "" : " Not everything could be read."}`;
}

/** How many of what was found are listed. */
function leftOf({ found, items, changes, insights }: ScrapeTrial): string | undefined {
  const shown = items.length + changes.length + insights.length;
  const all = found.items + found.changes + found.insights;
  return all > shown ? `The first ${shown.toLocaleString()} are listed.` : undefined;
}

/** What a dry run of scrapers found. */
export function ScrapeResults({ results, notices = [] }: ScrapeTrialReply) {
  return (
    <section aria-label="Results" className="flex min-h-0 flex-col gap-3 overflow-auto">
      <Told
        title="Of the text"
        messages={notices.map(({ line, path, message }) => `Line ${line}, ${path}: ${message}`)}
        tone="text-warning-fg"
      />
      {results.map((trial) => (
        <div key={trial.scraper} className="flex flex-col gap-2">
          <h3 className="m-0 text-xs font-semibold text-muted">
            {results.length > 1 && `${trial.scraper}: `}
            {summaryOf(trial)} {leftOf(trial)}
          </h3>
          <Told title="Errors" messages={trial.errors} tone="text-unhealthy-fg" />
          <Told title="Warnings" messages={trial.warnings} tone="text-warning-fg" />
          <ul className="m-0 flex list-none flex-col gap-1.5 p-0">
            {trial.items.map((item, place) => (
              <Item key={place} item={item} />
            ))}
            <Happened changes={trial.changes} insights={trial.insights} />
            <Ties relations={trial.relations} />
          </ul>
        </div>
      ))}
    </section>
  );
}
