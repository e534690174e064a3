import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Choice } from "@mainstay/ui/choice/choice.ts";
import { LazyChoiceBox } from "@mainstay/ui/choice/LazyChoiceBox.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { messageOf } from "#lib/api-error.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import type { LogsView } from "../shared/logs-view.ts";
import { logQueries } from "../shared/queries.ts";

/** As the contract has it (`ownLogStore`). */
const ownStore = "store";

/** Whose lines are shown: a component's, by one of its selectors, a backend's, or the server's own. */
export function SourcePicker({ view, change }: { view: LogsView; change: ChangeUrl<LogsView> }) {
  const components = useQuery(logQueries.components());
  const sources = useQuery(logQueries.sources());
  const named = useQuery(logQueries.componentName(view.component));
  const selectors = useQuery(logQueries.selectors(view.component));
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);

  const items = useMemo(
    (): Choice[] => [
      ...(sources.data ?? [{ id: ownStore, name: "Mainstay", type: "store" }]).map(
        ({ id, name, type }) => ({
          value: `backend ${id}`,
          label: name,
          detail: id === ownStore ? "own store" : type,
        }),
      ),
      ...(components.data ?? []).map(({ id, name, type }) => ({
        value: `component ${id ?? ""}`,
        label: name ?? id ?? "",
        detail: type ?? "component",
      })),
    ],
    [sources.data, components.data],
  );
  const isComponent = view.component !== "";
  const value = isComponent
    ? `component ${view.component}`
    : `backend ${view.backend === "" ? ownStore : view.backend}`;
  const chosen = items.find((item) => item.value === value) ?? {
    value,
    label: isComponent
      ? (named.data?.name ?? "…")
      : (sources.data?.find(({ name }) => name === view.backend)?.name ??
        (view.backend || "Mainstay")),
  };
  const failed = components.error
    ? "Unable to load components!"
    : sources.error
      ? messageOf(sources.error)
      : undefined;
  const choose = (next: readonly Choice[]) => {
    const [kind = "", id = ""] = (next[0]?.value ?? `backend ${ownStore}`).split(" ");
    change({
      component: kind === "component" ? id : "",
      backend: kind === "backend" && id !== ownStore ? id : "",
      selector: "",
      line: "",
      selected: [],
    });
  };
  return (
    <>
      <LazyChoiceBox
        text={{ label: "Component or log backend", hideLabel: true }}
        className="w-60 max-phone:w-full"
        box={{
          chosen: [chosen],
          items,
          onChange: choose,
          isSingle: true,
          text,
          onText: setText,
          isOpen,
          onOpen: setIsOpen,
          isFound: false,
          status: failed,
          emptyText: "No result",
          placeholder: "Component or log backend",
          disabled: false,
        }}
      />
      {isComponent && (selectors.data?.length ?? 0) > 0 && (
        <Select
          label="Selector"
          hideLabel
          value={view.selector || (selectors.data?.[0] ?? "")}
          options={(selectors.data ?? []).map((name) => ({ value: name, label: name }))}
          onChange={(selector) => change({ selector, line: "", selected: [] })}
          className="max-w-48"
        />
      )}
    </>
  );
}
