/**
 * Documents can hold what reaches into the server's own machine: programs, local folders and files, sockets. Saving or
 * trying one needs the permission `server_code`. Each kind of document says what it holds as a list of these.
 */

export const codeKinds = ["program", "folder", "file", "socket", "unknown"] as const;
export type CodeKind = (typeof codeKinds)[number];

/** One part of a document that reaches into the server's machine. */
export interface CodeFinding {
  /** Keys from the document's spec on, for example `["exec", 0]`. */
  path: readonly (string | number)[];
  kind: CodeKind;
  /** What people call the part. */
  name: string;
}

const deeds: Record<CodeKind, string> = {
  program: "runs a program on the server",
  folder: "reads a folder of the server",
  file: "reads a file of the server",
  socket: "may reach a socket of the server",
  unknown: "is of a type that this version does not know, so it may run code on the server",
};

/** What a part does, as a sentence without its end: `"backup" runs a program on the server`. */
export const codeDeed = ({ name, kind }: CodeFinding): string => `"${name}" ${deeds[kind]}`;
