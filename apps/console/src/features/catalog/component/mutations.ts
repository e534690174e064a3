import { useMutation, useQueryClient } from "@tanstack/react-query";
import { db, eq } from "#lib/db.ts";
import { byHand } from "./queries.ts";

/** Links an item with a component, and undoes that. */
export function useLinks(componentId: string) {
  const client = useQueryClient();
  const onSettled = () =>
    client.invalidateQueries({ queryKey: ["catalog", "component", componentId] });
  // The dialog or the panel says what failed.
  const meta = { speaksForItself: true };
  return {
    link: useMutation({
      meta,
      mutationFn: (configId: string) =>
        db.insert("config_component_relationships", {
          component_id: componentId,
          config_id: configId,
          selector_id: byHand,
        }),
      onSettled,
    }),
    unlink: useMutation({
      meta,
      mutationFn: (configId: string) =>
        db.remove("config_component_relationships", {
          component_id: eq(componentId),
          config_id: eq(configId),
          selector_id: eq(byHand),
        }),
      onSettled,
    }),
  };
}
