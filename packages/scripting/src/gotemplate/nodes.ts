/** The parts of a parsed template; `at` is where each begins in the text. */

export interface Text {
  kind: "text";
  text: string;
  at: number;
}

export interface Pipe {
  kind: "pipe";
  /** Variables that it declares or, with `assigns`, changes. */
  variables: readonly string[];
  assigns: boolean;
  commands: readonly Command[];
  at: number;
}

export interface Command {
  operands: readonly Operand[];
  at: number;
}

/** One of the names in `.a.b`. */
export interface Name {
  name: string;
  at: number;
}

export type Operand =
  | { kind: "identifier"; name: string; at: number }
  | { kind: "field"; names: readonly Name[]; at: number }
  | { kind: "variable"; name: string; names: readonly Name[]; at: number }
  | { kind: "chain"; base: Operand; names: readonly Name[]; at: number }
  | { kind: "dot"; at: number }
  | { kind: "nil"; at: number }
  | { kind: "literal"; value: boolean | bigint | number | string; text: string; at: number }
  | Pipe;

export interface Branch {
  kind: "if" | "range" | "with";
  pipe: Pipe;
  body: readonly Node[];
  otherwise: readonly Node[] | undefined;
  at: number;
}

export interface Invocation {
  kind: "template";
  name: string;
  pipe: Pipe | undefined;
  at: number;
}

export type Node =
  | Text
  | { kind: "action"; pipe: Pipe; at: number }
  | Branch
  | Invocation
  | { kind: "break" | "continue"; at: number };

export interface Template {
  body: readonly Node[];
  /** By name, those that `define` and `block` made. */
  defined: ReadonlyMap<string, readonly Node[]>;
  /** Names called as functions, each at its first place. */
  functions: ReadonlyMap<string, number>;
}
