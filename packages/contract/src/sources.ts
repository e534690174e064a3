/**
 * Where a row is kept (`source`), as a text from which a person sees where to change it. Together with name and
 * namespace it tells documents apart.
 */

/** Made in a console; nothing, and an empty text, mean the same. */
export const consoleSource = "UI";
/** Applied without a source of its own. */
export const appliedSource = "a file, with mainstay apply";
/** The document by which a server watches itself. */
export const ownSource = "Mainstay itself";

/** Whether a row is changed in a console, and not where it comes from. */
export const isKeptInConsole = (source: string | null | undefined): boolean =>
  !source || source === consoleSource;

/** What tables say whose sources are words of a list: only the sort of a place. */
const sorts = new Map([
  ["ConfigFile", "a file"],
  ["KubernetesCRD", "Kubernetes"],
]);

/** The place as a sentence names it. */
export const placeOf = (source: string | null | undefined): string =>
  isKeptInConsole(source) ? "the console" : (sorts.get(source!) ?? source!);
