/** A failure that the person who starts the program can do something about; shown as one line, without a stack. */
export class StartupError extends Error {}
