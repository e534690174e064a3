/** All dialogs of the page, fetched when the first is opened. */
export { ConnectionDialog } from "./ConnectionDialog.tsx";
export { DeleteConnection } from "./DeleteConnection.tsx";
export { OpenedConnection } from "./OpenedConnection.tsx";
export { PickTypeDialog } from "./PickTypeDialog.tsx";
export { TestResults } from "./TestResults.tsx";
