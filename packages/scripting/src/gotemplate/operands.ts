import type { Item } from "./callable.ts";
import type { Name, Operand, Pipe } from "./nodes.ts";

const namesText = (names: readonly Name[]): string => names.map(({ name }) => `.${name}`).join("");

/** An operand as the template writes it, for messages. */
export const operandText = (operand: Operand): string => {
  switch (operand.kind) {
    case "identifier":
      return operand.name;
    case "field":
      return namesText(operand.names);
    case "variable":
      return operand.name + namesText(operand.names);
    case "chain":
      return operandText(operand.base) + namesText(operand.names);
    case "dot":
      return ".";
    case "nil":
      return "nil";
    case "literal":
      return operand.text;
    case "pipe":
      return "(…)";
  }
};

/** How many values an operand is given. */
export const count = (operands: readonly Operand[], final: Item | undefined): number =>
  operands.length + (final === undefined ? 0 : 1);

/** Whether nothing but a literal of the document is printed: `{{ "{{" }}`. */
export const isLiteral = ({ commands }: Pipe): boolean =>
  commands.length === 1 &&
  commands[0]?.operands.length === 1 &&
  commands[0].operands[0]?.kind === "literal";
