import { Outlet, useMatches } from "@tanstack/react-router";
import { useEffect } from "react";
import { ToastRegion } from "@mainstay/ui/ToastRegion.tsx";
import { TooltipLayer } from "@mainstay/ui/TooltipLayer.tsx";

export function Root() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.page?.title });
  useEffect(() => {
    document.title = title === undefined ? "Mainstay" : `${title} · Mainstay`;
  }, [title]);
  return (
    <>
      <Outlet />
      <ToastRegion />
      <TooltipLayer />
    </>
  );
}
