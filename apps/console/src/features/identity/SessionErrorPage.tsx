import type { ReactNode } from "react";
import { paths } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { FrontDoor } from "./front/FrontDoor.tsx";

/** Texts of document 1, section 2. */
const texts: Record<string, string> = {
  BAD_SESSION:
    "Bad Session. Please try logging out and logging in again, if the problem persist, please contact us.",
};

/** What can be done about it besides goes between the text and the way back. */
export function SessionErrorPage({ children }: { children?: ReactNode }) {
  const code = parseSearch(window.location.search).error_code ?? "";
  return (
    <FrontDoor title="Session error">
      <p role="alert" className="m-0">
        {Object.hasOwn(texts, code) ? texts[code] : "Unknown error"}
      </p>
      {children}
      <a href={paths.home()} className="text-accent underline">
        Go back
      </a>
    </FrontDoor>
  );
}
