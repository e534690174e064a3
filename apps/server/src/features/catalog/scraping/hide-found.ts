import type { Hider } from "#platform/sealing/hide-secrets.ts";
import type { Json } from "../changes/json-patch.ts";
import { optional } from "./extract-item.ts";
import type { Found } from "./scraped.ts";

/** Without the secrets that a scraper was given, wherever a system repeats them. */
export function hideInFound(found: Found, hider: Hider): Found {
  const json = <Value extends Json | undefined>(value: Value) =>
    value === undefined ? value : (hider.value(value) as Value);
  const text = (value: string | undefined) =>
    value === undefined ? undefined : hider.message(value);
  switch (found.kind) {
    case "content": {
      const { content, source, ...read } = found.read;
      return {
        kind: "content",
        read: { ...read, content: json(content), ...optional("source", text(source)) },
      };
    }
    case "item": {
      const { item } = found;
      return {
        kind: "item",
        item: {
          ...item,
          name: hider.message(item.name),
          labels: hider.value(item.labels) as typeof item.labels,
          tags: hider.value(item.tags) as typeof item.tags,
          properties: hider.value(item.properties) as typeof item.properties,
          config: json(item.config),
          ...optional("description", text(item.description)),
          ...optional("status", text(item.status)),
          ...optional("source", text(item.source)),
        },
      };
    }
    case "change": {
      const { change } = found;
      return {
        kind: "change",
        change: {
          ...change,
          ...optional("summary", text(change.summary)),
          ...optional("diff", text(change.diff)),
          ...optional("details", json(change.details)),
          ...optional("patches", json(change.patches)),
        },
      };
    }
    case "insight": {
      const { insight } = found;
      return {
        kind: "insight",
        insight: {
          ...insight,
          ...optional("summary", text(insight.summary)),
          ...optional("message", text(insight.message)),
          ...optional("analysis", json(insight.analysis)),
        },
      };
    }
    case "gone":
    case "judged":
    case "position":
      return found;
    case "failure":
    case "notice":
      return { ...found, message: hider.message(found.message) };
  }
}
