/** The console's keys. */
export const shortcuts: readonly { keys: string; does: string }[] = [
  { keys: "Ctrl K or ⌘K", does: "Search pages, resources and actions" },
  { keys: "/", does: "Search on this page" },
  { keys: "j, k or arrows", does: "Next and previous row" },
  { keys: "Enter", does: "Open the row, or open and close a group" },
  { keys: "Right, Left", does: "Open, close a group" },
  { keys: "Arrows, Home, End", does: "Between cards of the topology" },
  { keys: "Arrows, Home", does: "In a graph: along the edges, back to its beginning" },
  { keys: "Space", does: "In a graph: fold and unfold" },
  { keys: "+, -, 0", does: "In a graph: zoom in, out, show all" },
  {
    keys: "Home, End, Page Up, Page Down",
    does: "In logs: to the ends of the lines, a page further",
  },
  { keys: "Space, Shift Space", does: "In logs: choose a line, and all from the last one chosen" },
  { keys: "Esc", does: "Close a dialog or menu; in logs, an open line" },
  { keys: "Ctrl M", does: "Let Tab leave an editor" },
  { keys: "[", does: "Collapse the sidebar; on a component: go up" },
  { keys: "]", does: "On a component: the next one beside it" },
  { keys: "?", does: "Show these keys" },
];
