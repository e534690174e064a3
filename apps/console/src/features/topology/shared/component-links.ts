import { createContext, useContext } from "react";
import { paths } from "#lib/paths.ts";
import { topologyCodec, type TopologyView } from "./topology-view.ts";

const bare = topologyCodec.parse({});

/** Where a component is shown, as this page shows its own: as a graph or as cards. Without an id, where all are. */
export type ComponentPath = (id: string | undefined) => string;

/** What goes along from one component to the next. */
type Kept = Pick<TopologyView, "isGraph" | "at" | "span">;

export const componentPath =
  ({ isGraph, at, span }: Kept): ComponentPath =>
  (id) => {
    const written = topologyCodec.format({ ...bare, isGraph, at, span });
    const kept = { view: written["view"], at: written["at"], span: written["span"] };
    return id === undefined ? paths.topology(kept) : paths.component(id, kept);
  };

export const ComponentPathContext = createContext<ComponentPath>(componentPath(bare));
export const useComponentPath = (): ComponentPath => useContext(ComponentPathContext);
