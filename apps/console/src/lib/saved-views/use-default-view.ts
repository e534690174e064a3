import { useQuery } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { useSession } from "#lib/use-access.ts";
import { viewQueries } from "./queries.ts";
import type { SavedPage } from "./saved-page.ts";

/**
 * Shows the reader's default view where the page is opened with nothing in its address. Whether it is not known yet what
 * to show.
 */
export function useDefaultView(of: SavedPage): boolean {
  const router = useRouter();
  const search = useLocation({ select: (location) => location.searchStr });
  const { person } = useSession();
  const [isOpening, setIsOpening] = useState(search === "" && person !== null);
  const views = useQuery({ ...viewQueries.views(of.page), enabled: isOpening });
  const usual = views.data?.find((view) => view.is_default);
  const address = usual === undefined ? "" : of.kept(usual.search);
  // Whoever has gone on in the meantime is not taken back.
  if (isOpening && (search !== "" || (!views.isPending && address === ""))) setIsOpening(false);
  const wanted = isOpening ? address : "";
  const show = useEffectEvent(() =>
    router.history.replace(`${router.history.location.pathname}${wanted}`),
  );
  useEffect(() => {
    if (wanted !== "") show();
  }, [wanted]);
  return isOpening;
}
