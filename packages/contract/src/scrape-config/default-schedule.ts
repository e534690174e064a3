/** How often a document runs that says no schedule. */
export const defaultScrapeSchedule = "@every 60m";
