import { createContext, useContext } from "react";
import { paths } from "#lib/paths.ts";
import type { TopologyView } from "./topology-view.ts";

/** Where a component is shown, as this page shows its own: as a graph or as cards. Without an id, where all are. */
export type ComponentPath = (id: string | undefined) => string;

export const componentPath =
  ({ isGraph }: Pick<TopologyView, "isGraph">): ComponentPath =>
  (id) => {
    const kept = { view: isGraph ? "graph" : undefined };
    return id === undefined ? paths.topology(kept) : paths.component(id, kept);
  };

export const ComponentPathContext = createContext<ComponentPath>(componentPath({ isGraph: false }));
export const useComponentPath = (): ComponentPath => useContext(ComponentPathContext);
