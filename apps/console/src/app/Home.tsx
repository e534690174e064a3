import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { paths } from "#lib/paths.ts";
import { type Access, useAccess } from "#lib/use-access.ts";
import { hasPage } from "./navigation.ts";

/** Document 1, section 2: `/` is the topology; where that is missing or switched off, the next page there is. */
export function startPage(access: Access): string {
  const wanted = [paths.topology(), paths.health()];
  return wanted.find((path) => hasPage(access, path)) ?? paths.help();
}

export function Home() {
  const { history } = useRouter();
  const to = startPage(useAccess());
  useEffect(() => history.replace(to), [history, to]);
  return <PageSkeleton />;
}
