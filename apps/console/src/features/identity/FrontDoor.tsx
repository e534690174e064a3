import type { ReactNode } from "react";

/** The frame of the pages outside the shell. */
export function FrontDoor({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex h-full flex-col items-center overflow-auto px-4 pt-[16vh] pb-8">
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
      </div>
    </main>
  );
}
