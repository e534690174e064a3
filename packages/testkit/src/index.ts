export * from "./postgres.ts";
