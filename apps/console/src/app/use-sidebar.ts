import { useState } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";
import { phoneQuery, useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import { usePageKey } from "#lib/use-page-key.ts";

const key = "mainstay.sidebar";
/** Document 1, section 2. */
const narrowQuery = "(max-width: 1023px)";

export interface SidebarState {
  isPhone: boolean;
  isCollapsed: boolean;
  isDrawerOpen: boolean;
  toggle: () => void;
  openDrawer: () => void;
  closeDrawer: () => void;
}

/** Whether the sidebar is collapsed: as chosen and remembered; by itself on narrow windows; a drawer on phones. */
export function useSidebar(): SidebarState {
  const isPhone = useMediaQuery(phoneQuery);
  const isNarrow = useMediaQuery(narrowQuery);
  const [chosen, setChosen] = useState(() => readStored(key) === "collapsed");
  const [widened, setWidened] = useState(false);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const isCollapsed = isNarrow ? !widened : chosen;

  const toggle = () => {
    if (isPhone) return setDrawerOpen(!isDrawerOpen);
    // What is chosen on a narrow window is for now; it is not what should meet the person on a wide one.
    if (isNarrow) return setWidened(!widened);
    setChosen(!chosen);
    writeStored(key, chosen ? "open" : "collapsed");
  };

  usePageKey("[", toggle);

  return {
    isPhone,
    isCollapsed,
    isDrawerOpen: isPhone && isDrawerOpen,
    toggle,
    openDrawer: () => setDrawerOpen(true),
    closeDrawer: () => setDrawerOpen(false),
  };
}
