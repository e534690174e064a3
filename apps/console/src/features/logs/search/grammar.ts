/** All that understands searches, fetched when there is one. */
export { levelsOf, stateOfTerm, toggleLevel, toggleTerm } from "./edit-search.ts";
export { readLogSearch } from "@mainstay/contract/logs/parse-log-search.ts";
