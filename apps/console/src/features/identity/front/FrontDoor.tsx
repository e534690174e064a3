import type { ReactNode } from "react";
import { Button } from "@mainstay/ui/Button.tsx";

export interface FrontDoorProps {
  title: string;
  children: ReactNode;
  footer?: ReactNode;
}

/** The frame of the pages outside the shell. */
export function FrontDoor({ title, children, footer }: FrontDoorProps) {
  return (
    <main className="flex h-full flex-col items-center overflow-auto px-4 pt-[12vh] pb-8">
      <div className="flex w-full max-w-[340px] flex-col gap-4">
        <div className="flex items-center gap-2.5">
          <img src="/mark.svg" alt="" width={28} height={28} />
          <span className="text-lg font-semibold">Mainstay</span>
        </div>
        <section
          aria-labelledby="page-title"
          className="flex flex-col gap-4 rounded-card border bg-raised p-5"
        >
          <h1 id="page-title" className="m-0 text-lg font-semibold">
            {title}
          </h1>
          {children}
        </section>
        {footer}
      </div>
    </main>
  );
}

/** From one page in front of the console to another: loads it anew. */
export function FrontLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} className="text-sm text-accent underline underline-offset-2">
      {children}
    </a>
  );
}

export interface FrontFailureProps {
  title: string;
  message: string;
  onRetry: () => void;
}

/** What went wrong, without the icons that these small pages do not load. */
export function FrontFailure({ title, message, onRetry }: FrontFailureProps) {
  return (
    <div role="alert" className="flex flex-col items-center gap-2 py-6 text-center">
      <p className="m-0 text-md font-medium">{title}</p>
      <p className="m-0 text-sm break-words text-muted">{message}</p>
      <Button className="mt-2" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
