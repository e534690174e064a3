import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import type { Page } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";
import { type Access, useAccess } from "#lib/use-access.ts";
import { features } from "../features.ts";

const pages = features.flatMap((feature) => feature.pages);

const mayOpen = (access: Access, page: Page): boolean =>
  (page.feature === undefined || access.isOn(page.feature)) &&
  (page.read === undefined || access.may("read", page.read));

/** Document 1, section 2: `/` is the topology; where that is missing or switched off, the next page there is. */
export function startPage(access: Access): string {
  const wanted = [paths.topology(), paths.health()];
  const open = wanted.find((path) =>
    pages.some((page) => page.path === path && mayOpen(access, page)),
  );
  return open ?? paths.help();
}

export function Home() {
  const { history } = useRouter();
  const to = startPage(useAccess());
  useEffect(() => history.replace(to), [history, to]);
  return <PageSkeleton />;
}
