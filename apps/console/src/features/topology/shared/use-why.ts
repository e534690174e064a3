import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AnyComponent, topologyQueries } from "../queries.ts";
import { toneOf } from "./component-words.ts";

const toldCauses = 3;

/** Why a component is not well, in a few lines, once somebody looks at it. */
export function useWhy(component: AnyComponent) {
  const client = useQueryClient();
  const [why, setWhy] = useState<string>();
  const isWell = toneOf(component) === "healthy";
  const ask = () => {
    if (isWell) return;
    client.fetchQuery({ ...topologyQueries.explanation(component.id), retry: false }).then(
      ({ text, causes }) => {
        const told = causes
          .filter(({ isReason }) => isReason)
          .slice(0, toldCauses)
          .map(({ name, message }) => `${name}${message ? `: ${message}` : ""}`);
        setWhy([text, ...told].join("\n"));
      },
      // The details say what is wrong; a tooltip says what it knows.
      () => {},
    );
  };
  // What was found out of one that has recovered since is no longer so.
  return { why: isWell ? undefined : why, ask };
}
