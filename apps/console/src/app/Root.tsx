import { Outlet, useMatches } from "@tanstack/react-router";
import { type ComponentType, useEffect, useState } from "react";
import { atFirstSign } from "@mainstay/ui/at-first-sign.ts";
import { useToasts } from "@mainstay/ui/toasts.ts";

const loadLayers = () =>
  Promise.all([
    import("@mainstay/ui/popups/ToastRegion.tsx").then((module) => module.ToastRegion),
    import("@mainstay/ui/popups/TooltipLayer.tsx").then((module) => module.TooltipLayer),
  ]);

/** What lies over everything. Nothing of it is seen before somebody is there, or something is said. */
function Layers() {
  const [layers, setLayers] = useState<readonly ComponentType[]>([]);
  const toasts = useToasts();
  const { length: here } = layers;
  useEffect(() => atFirstSign(async () => setLayers(await loadLayers())), []);
  useEffect(() => {
    // Where they could not be had, the next toast tries again.
    if (toasts.length > 0 && here === 0) loadLayers().then(setLayers, () => {});
  }, [toasts, here]);
  return layers.map((Layer, place) => <Layer key={place} />);
}

export function Root() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.page?.title });
  useEffect(() => {
    document.title = title === undefined ? "Mainstay" : `${title} · Mainstay`;
  }, [title]);
  return (
    <>
      <Outlet />
      <Layers />
    </>
  );
}
