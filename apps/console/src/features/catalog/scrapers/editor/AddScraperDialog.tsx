import { useRouter } from "@tanstack/react-router";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { TextEditor } from "#lib/documents/TextEditor.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { scraperKind } from "../../scraper-kind.ts";

const kinds = [scraperKind];

/** A new scraper, from a form or from a document. */
export function AddScraperDialog({ onClose }: { onClose: () => void }) {
  const { history } = useRouter();
  const draft = useDraft("add-scraper", "");
  const whyNoCode = useAccess().whyNot("write", "server_code");
  return (
    <Dialog
      title="Add scraper"
      size="large"
      keepOpenOnOutsidePress
      helpLink={paths.help()}
      onClose={onClose}
      bodyClassName="p-0"
    >
      <div className="flex h-[76vh] shrink-0 grow flex-col">
        <TextEditor
          label="ScrapeConfig document"
          draft={draft}
          isNew
          kinds={kinds}
          opensAs="form"
          readOnly={false}
          trial={scraperKind.trial}
          action="Save"
          onSaved={([saved]) => {
            toastDone(
              `${saved?.name ?? "The scraper"} saved`,
              saved?.id === undefined
                ? undefined
                : {
                    label: "Open",
                    onSelect: () => history.push(paths.catalogScraper(saved.id!)),
                  },
            );
            onClose();
          }}
          above={
            whyNoCode !== undefined && (
              <p className="m-0 text-sm text-muted">
                Scrapers of this machine, with programs or local files need a permission of their
                own. {whyNoCode}
              </p>
            )
          }
        />
      </div>
    </Dialog>
  );
}
