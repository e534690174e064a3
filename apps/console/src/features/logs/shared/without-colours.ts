/** What a program writes to a terminal for colours and the cursor (ECMA-48, 5.4: CSI sequences), and links (OSC). */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** A message as a terminal would say it, without its colours. What is copied or searched keeps them. */
export const withoutColours = (message: string): string =>
  message.includes("\u001b") ? message.replace(sequences, "") : message;
