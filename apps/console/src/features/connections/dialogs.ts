/** All dialogs of the page, fetched when the first is opened. */
export { DeleteConnection } from "./DeleteConnection.tsx";
export { NewConnection, OpenedConnection } from "./OpenedConnection.tsx";
export { PickTypeDialog } from "./PickTypeDialog.tsx";
export { TestResults } from "./TestResults.tsx";
