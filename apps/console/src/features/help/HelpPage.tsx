import { DEFAULT_TOKEN_DAYS } from "@mainstay/contract";
import { PageBar } from "#lib/PageBar.tsx";
import { ShortcutTable } from "./ShortcutTable.tsx";

/** What the console means by its words, and its keys. */
export function HelpPage() {
  return (
    <>
      <PageBar crumbs={[{ label: "Documentation" }]} />
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
      >
        <article className="mx-auto flex max-w-2xl flex-col gap-6 px-4 py-8 text-md">
          <section aria-labelledby="help-checks" className="flex flex-col gap-2">
            <h2 id="help-checks" className="m-0 text-lg font-semibold">
              Checks
            </h2>
            <p className="m-0">
              A check asks something of a service on a schedule: a web page, a port, a database, a
              script. Checks are written in Canary documents in YAML; one document may hold many.
              The round plus button on the Health page opens an editor that completes field names,
              explains them on hover and marks what is wrong while you type.
            </p>
            <p className="m-0">
              <strong>Run once</strong> runs the document without storing anything.{" "}
              <strong>Save</strong> puts it on its schedule. <strong>Run Now</strong>, on an open
              check, runs it outside its schedule and keeps the result. Checks that run programs,
              look into folders of the server or speak to its sockets are saved and tried by
              administrators alone, unless the server's settings name others.
            </p>
          </section>
          <section aria-labelledby="help-states" className="flex flex-col gap-2">
            <h2 id="help-states" className="m-0 text-lg font-semibold">
              States
            </h2>
            <dl className="m-0 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
              <dt className="font-medium">Healthy</dt>
              <dd className="m-0">The last result passed.</dd>
              <dt className="font-medium">Unhealthy</dt>
              <dd className="m-0">
                The last result failed as often in a row as the document allows.
              </dd>
              <dt className="font-medium">Unknown</dt>
              <dd className="m-0">It has not run, or could not: the reason stands beside it.</dd>
              <dt className="font-medium">Stale</dt>
              <dd className="m-0">
                Results stopped coming: the next run is overdue by more than two intervals.
              </dd>
            </dl>
          </section>
          <section aria-labelledby="help-ranges" className="flex flex-col gap-2">
            <h2 id="help-ranges" className="m-0 text-lg font-semibold">
              Time ranges
            </h2>
            <p className="m-0">
              A range is chosen from the list, from a calendar, or written:{" "}
              <code className="font-mono text-sm">2d</code>,{" "}
              <code className="font-mono text-sm">now-2d to now-1d</code>,{" "}
              <code className="font-mono text-sm">now-1d/d to now-1d/d</code>. Marking a stretch of
              a chart zooms to it. Everything you see is in the address: copy it to show somebody
              the same.
            </p>
          </section>
          <section aria-labelledby="help-tokens" className="flex flex-col gap-2">
            <h2 id="help-tokens" className="m-0 text-lg font-semibold">
              Access tokens
            </h2>
            <p className="m-0">
              Programs sign in with an access token, made under Settings, Access Tokens. A personal
              token may do at most what its owner may at that moment, and ends with them; a service
              token has roles of its own. Its text is shown once, when it is made.
            </p>
            <p className="m-0">
              It is sent as <code className="font-mono text-sm">Authorization: Bearer</code>, or as
              the password of the user <code className="font-mono text-sm">token</code>; the command
              line reads it from <code className="font-mono text-sm">MAINSTAY_TOKEN</code>. It
              manages no other tokens and opens no sign-in or profile page.
            </p>
          </section>
          <section aria-labelledby="help-kubeconfig" className="flex flex-col gap-2">
            <h2 id="help-kubeconfig" className="m-0 text-lg font-semibold">
              Kubeconfig
            </h2>
            <p className="m-0">
              The file in the user menu lets <code className="font-mono text-sm">kubectl</code> talk
              to the cluster behind this server. Each download holds a new token that works for{" "}
              {DEFAULT_TOKEN_DAYS} days: download another one then, and revoke it under Settings,
              Access Tokens when the file is not needed any more. A server without a cluster answers
              that it has none.
            </p>
          </section>
          <section aria-labelledby="help-keys" className="flex flex-col gap-2">
            <h2 id="help-keys" className="m-0 text-lg font-semibold">
              Keys
            </h2>
            <ShortcutTable />
          </section>
        </article>
      </div>
    </>
  );
}
