import { useQuery } from "@tanstack/react-query";
import { Copy, MailWarning, X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";
import { copyText } from "@mainstay/ui/toasts.ts";
import { hosted } from "#lib/hosted.ts";
import { unmailedInvitationsQuery, type UnmailedInvitation } from "./queries.ts";

/** The page below stays a page; the next is shown when one is hidden. */
const MOST_SHOWN = 2;

const hiddenKey = "mainstay.invitations.hidden";
const readHidden = (): string[] => (readStored(hiddenKey) ?? "").split(" ");

const until = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

function said({ name, link, invited_by: by, expires_at: at }: UnmailedInvitation): string {
  const what = `${name} is invited, but no e-mail could be sent.`;
  if (link !== undefined) return `${what} Hand over the link: it works once, until ${until(at)}.`;
  return `${what} ${by ?? "Who invited"} can hand over the link; a new one is made under Users.`;
}

/** Says whom no mail has told that they are invited, with the link for whoever invited them. */
export function UnmailedInvitations() {
  const [hidden, setHidden] = useState(readHidden);
  const { data = [] } = useQuery({ ...unmailedInvitationsQuery, enabled: !hosted() });
  const hide = (id: string) => {
    const all = [...hidden, id].slice(-50);
    writeStored(hiddenKey, all.join(" "));
    setHidden(all);
  };
  const told = data.filter(({ id }) => !hidden.includes(id));
  const more = told.length - MOST_SHOWN;
  return told.slice(0, MOST_SHOWN).map((invitation, place) => (
    <div
      key={invitation.id}
      role="status"
      className="flex shrink-0 items-center gap-2 border-b bg-warning-bg px-4 py-1.5 text-sm text-warning-fg"
    >
      <MailWarning aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
      <span className="min-w-0 flex-1 wrap-anywhere">
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
        onClick={() => hide(invitation.id)}
      />
    </div>
  ));
}
