import { Copy, MailWarning, X } from "lucide-react";
import { momentText } from "@mainstay/ui/Age.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { copyText } from "@mainstay/ui/toasts.ts";
import type { UnmailedInvitation } from "./queries.ts";

/** They take their room from the page: the next is shown when one is hidden. */
const MOST_SHOWN = 1;

const until = (at: string): string => momentText(Date.parse(at));

function said({ name, link, invited_by: by, expires_at: at }: UnmailedInvitation): string {
  const what = `${name} is invited, but no e-mail could be sent.`;
  if (link !== undefined) return `${what} Hand over the link: it works once, until ${until(at)}.`;
  return `${what} ${by ?? "Who invited"} can hand over the link; a new one is made under Users.`;
}

export function InvitationNotices({
  told,
  onHide,
}: {
  told: readonly UnmailedInvitation[];
  onHide: (id: string) => void;
}) {
  const more = told.length - MOST_SHOWN;
  const notices = told.slice(0, MOST_SHOWN).map((invitation, place) => (
    <div
      key={invitation.id}
      role="status"
      className="flex items-center gap-2 rounded-card border border-warning-border bg-warning-bg px-3 py-1.5 text-sm text-warning-fg max-phone:flex-wrap max-phone:text-xs"
    >
      <MailWarning aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
      <span className="min-w-0 flex-1 wrap-anywhere max-phone:basis-4/5">
        {said(invitation)}
        {place === MOST_SHOWN - 1 && more > 0 && ` And ${more} more.`}
      </span>
      {invitation.link !== undefined && (
        <Button
          icon={<Copy size={14} strokeWidth={1.75} />}
          onClick={() => void copyText(invitation.link!)}
        >
          Copy link
        </Button>
      )}
      <IconButton
        label={`Hide what is said of ${invitation.name}`}
        icon={<X size={14} strokeWidth={1.75} />}
        onClick={() => onHide(invitation.id)}
      />
    </div>
  ));
  return (
    <section
      aria-label="Invitations"
      // Below the page: what comes late must neither move what is being read nor lie over the last fields of a form.
      className="flex shrink-0 flex-col gap-2 border-t border-border px-4 py-2"
    >
      {notices}
    </section>
  );
}
