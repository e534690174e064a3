import { CatalogPreferences } from "../shared/CatalogPreferences.tsx";

/** Beside the title of the page. */
export const CatalogActions = () => <CatalogPreferences />;
