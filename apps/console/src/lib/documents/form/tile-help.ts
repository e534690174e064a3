/** What a type is, of its schema; that it is an addition is for those who compare documents. */
export function tileHelp(description = ""): string {
  const said = description.replace(/^Our addition: /, "");
  return `${said[0]?.toUpperCase() ?? ""}${said.slice(1)}`;
}
