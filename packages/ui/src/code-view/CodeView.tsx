import { Copy, WrapText } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { IconButton } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { copyText } from "../toasts.ts";
import { highlightLine, type CodeLanguage, type TokenKind } from "./highlight.ts";

const colours: Record<TokenKind, string> = {
  key: "text-(--syntax-key)",
  string: "text-(--syntax-string)",
  number: "text-(--syntax-number)",
  keyword: "text-(--syntax-keyword)",
  comment: "text-(--syntax-comment) italic",
  plain: "",
};

const mostLines = 5_000;

export interface CodeViewProps {
  label: string;
  text: string;
  language: CodeLanguage;
}

const Line = memo(function Line({ text, language }: { text: string; language: CodeLanguage }) {
  return highlightLine(text, language).map((token, index) => (
    <span key={index} className={colours[token.kind]}>
      {token.text}
    </span>
  ));
});

/** Code to be read: colours, line numbers, copy, wrap. */
export function CodeView({ label, text, language }: CodeViewProps) {
  const [isWrapped, setIsWrapped] = useState(false);
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  return (
    <section
      aria-label={label}
      className="relative flex min-h-0 flex-col rounded-card border bg-sunken"
    >
      <div className="absolute top-1 right-1 flex gap-0.5 rounded-control bg-sunken">
        <IconButton
          label={isWrapped ? "Do not wrap lines" : "Wrap lines"}
          aria-pressed={isWrapped}
          icon={<WrapText size={14} strokeWidth={1.75} />}
          onClick={() => setIsWrapped(!isWrapped)}
        />
        <IconButton
          label="Copy"
          icon={<Copy size={14} strokeWidth={1.75} />}
          onClick={() => void copyText(text)}
        />
      </div>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="m-0 min-h-0 flex-1 overflow-auto rounded-card py-2 pr-18 font-mono text-xs"
      >
        {lines.slice(0, mostLines).map((line, index) => (
          // Lines of a text that does not change keep their places.
          <div key={index} className="flex">
            <span
              aria-hidden="true"
              className="w-10 shrink-0 pr-3 text-right text-muted select-none"
            >
              {index + 1}
            </span>
            <code
              className={classNames(
                "font-mono",
                isWrapped ? "break-words whitespace-pre-wrap" : "whitespace-pre",
              )}
            >
              <Line text={line} language={language} />
            </code>
          </div>
        ))}
        {lines.length > mostLines && (
          <p className="m-0 px-10 pt-2 text-muted">
            {lines.length - mostLines} more lines are not shown; Copy takes all of them.
          </p>
        )}
      </pre>
    </section>
  );
}
