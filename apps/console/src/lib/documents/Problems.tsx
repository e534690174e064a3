import type { Problem } from "@mainstay/contract/documents/parse-documents.ts";

const listed = 20;

type Shown = Pick<Problem, "message" | "path" | "severity"> & { line?: number; column?: number };

/** What is wrong with a document, with places: for those who do not see the marks in the editor. */
export function Problems({ problems, title }: { problems: readonly Shown[]; title: string }) {
  if (problems.length === 0) return null;
  return (
    <section
      role="alert"
      aria-label={title}
      className="rounded-control border border-unhealthy-border bg-unhealthy-bg px-3 py-2 text-xs text-unhealthy-fg"
    >
      <p className="m-0 font-medium">{title}</p>
      <ul className="m-0 mt-1 max-h-40 list-none overflow-auto p-0">
        {problems.slice(0, listed).map((problem, index) => (
          <li key={index} className="break-words">
            {problem.line !== undefined && (
              <span className="font-mono">
                {problem.line}:{problem.column ?? 1}{" "}
              </span>
            )}
            {problem.path && <span className="font-mono">{problem.path}: </span>}
            {problem.message}
          </li>
        ))}
      </ul>
      {problems.length > listed && <p className="m-0 mt-1">and {problems.length - listed} more</p>}
    </section>
  );
}
