/** Whether the database ended a statement for the time that it took (`statement_timeout`), or because somebody cancelled it. */
export const hasTakenTooLong = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "57014";
