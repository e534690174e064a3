export * from "./postgres.ts";
export * from "./throwaway-folder.ts";
