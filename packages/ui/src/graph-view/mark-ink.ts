/** Whether a mark is SVG that needs nothing from anywhere else. */
export const isAlone = (svg: string): boolean =>
  /^\s*<svg[\s>]/.test(svg) && !/(?:href|src)\s*=\s*["'](?!#|data:)|url\(\s*["']?(?!#)/i.test(svg);

/** A mark of one ink in a colour: whatever it is painted with is painted with that. */
export function inInk(svg: string, colour: string): string {
  const painted = svg.replaceAll(
    /\s(fill|stroke|stop-color)="(?!none")[^"]*"/gi,
    (_whole, property: string) => ` ${property}="${colour}"`,
  );
  const [root = ""] = /^\s*<svg[^>]*>/.exec(painted) ?? [];
  return /\sfill="/.test(root) ? painted : painted.replace("<svg", `<svg fill="${colour}"`);
}
