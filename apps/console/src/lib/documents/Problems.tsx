import type { Problem } from "@mainstay/contract/documents/parse-documents.ts";

const listed = 20;

type Shown = Pick<Problem, "message" | "path" | "severity"> & { line?: number; column?: number };

export interface TextPlace {
  line: number;
  column: number;
}

interface ProblemsProps {
  problems: readonly Shown[];
  title: string;
  /** Leads to a place in the text. */
  onGo?: (place: TextPlace) => void;
}

/** What is wrong with a document, with places: for those who do not see the marks in the editor. */
export function Problems({ problems, title, onGo }: ProblemsProps) {
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
              <>
                <PlaceLink
                  place={{ line: problem.line, column: problem.column ?? 1 }}
                  onGo={onGo}
                />{" "}
              </>
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

/** A place of the text; where there is an editor, the way there. */
export function PlaceLink({
  place,
  onGo,
}: {
  place: TextPlace;
  onGo: ((place: TextPlace) => void) | undefined;
}) {
  const text = `${place.line}:${place.column}`;
  if (!onGo) return <span className="font-mono">{text}</span>;
  return (
    <button
      type="button"
      aria-label={`Go to line ${place.line}, column ${place.column}`}
      className="cursor-pointer rounded-control border-0 bg-transparent p-0 font-mono text-xs text-inherit underline"
      onClick={() => onGo(place)}
    >
      {text}
    </button>
  );
}
