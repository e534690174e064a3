/** Where databases lie that are thrown away: where the run of tests says, or on the disk. */
export const throwawayFolder = process.env["MAINSTAY_THROWAWAY"] ?? "/tmp";
