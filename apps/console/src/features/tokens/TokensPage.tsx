import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { AccessToken } from "@mainstay/contract/tokens.ts";
import { Age, dayText, exactTime } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import {
  actionsColumn,
  ageColumn,
  createdByColumn,
  nameColumn,
} from "@mainstay/ui/list-table/stock-columns.tsx";
import { CheckboxField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { GatedIconButton } from "#lib/GatedButton.tsx";
import { ListPage } from "#lib/ListPage.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess, useSession } from "#lib/use-access.ts";
import { useTokenChanges } from "./mutations.ts";
import { tokensQuery } from "./queries.ts";
import { TokenDialog } from "./TokenDialog.tsx";

/** A moment to come: the day, the exact time in the tooltip. */
function Expiry({ at }: { at: string | null }) {
  const isOver = useClock((now) => at !== null && Date.parse(at) <= now);
  if (at === null) return <span className="text-muted">never</span>;
  const moment = Date.parse(at);
  return isOver ? (
    <Badge tone="warning" tooltip={exactTime(moment)}>
      expired
    </Badge>
  ) : (
    <time dateTime={at} data-tooltip={exactTime(moment)} className="tabular-nums">
      {dayText(moment)}
    </time>
  );
}

const columns: readonly Column<AccessToken>[] = [
  nameColumn(),
  {
    id: "kind",
    header: "Kind",
    width: 110,
    minWidth: 90,
    dropOrder: 3,
    sortable: true,
    value: ({ kind }) => kind,
    renderCell: ({ kind }) => <Badge>{kind}</Badge>,
  },
  {
    id: "person",
    header: "Acts for",
    width: 170,
    minWidth: 110,
    sortable: true,
    value: ({ person }) => person.name,
    renderCell: ({ person }) => <bdi className="truncate">{person.name}</bdi>,
  },
  {
    id: "roles",
    header: "Roles",
    width: 200,
    minWidth: 110,
    sortable: true,
    value: (token) => token.effective_roles.join(),
    renderCell: ({ effective_roles }) => (
      <span className="flex gap-1 overflow-hidden">
        {effective_roles.map((role) => (
          <Badge key={role}>{role}</Badge>
        ))}
      </span>
    ),
  },
  createdByColumn({ width: 130, minWidth: 100, dropOrder: 1, sortable: true }),
  { ...ageColumn("created_at", "Created At"), dropOrder: 2 },
  ageColumn("last_used_at", "Last Used"),
  {
    id: "expires_at",
    header: "Expires",
    width: 110,
    sortable: true,
    value: ({ expires_at }) => expires_at,
    renderCell: ({ expires_at }) => <Expiry at={expires_at} />,
  },
];

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ all: raw["all"] === "true" }),
  format: ({ all }: { all: boolean }) => ({ all: all ? "true" : undefined }),
};

/** What programs sign in with. */
export function TokensPage() {
  const access = useAccess();
  const { person } = useSession();
  const maySeeAll = access.may("read", "rbac");
  const [{ all }, change] = useUrlState(codec);
  const everybodys = all && maySeeAll;
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<AccessToken | null>(null);
  const { revoke } = useTokenChanges();
  const revokeButton = (token: AccessToken) => (
    <GatedIconButton
      label={`Revoke ${token.name}`}
      icon={<Trash2 size={16} strokeWidth={1.75} />}
      whyNot={token.person.id === person?.id ? undefined : access.whyNot("write", "rbac")}
      onClick={() => setRevoking(token)}
    />
  );
  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Access Tokens" }]}
      noun="access tokens"
      query={useQuery(tokensQuery(everybodys))}
      columns={[...columns, actionsColumn(revokeButton)]}
      rowId={({ id }) => id}
      searchIn={({ name, person, kind }) => `${name} ${person.name} ${kind}`}
      filters={
        maySeeAll && (
          <CheckboxField
            label="Everybody's"
            checked={everybodys}
            onChange={(checked) => change({ all: checked })}
          />
        )
      }
      create={{ label: "Create access token", onCreate: () => setIsCreating(true) }}
      storageKey="access-tokens"
      renderPhoneRow={(token) => (
        <span className="flex min-w-0 items-center justify-between gap-2">
          <span className="flex min-w-0 flex-col">
            <span className="truncate font-medium">{token.name}</span>
            <span className="truncate text-xs text-muted">
              {token.kind} · <bdi>{token.person.name}</bdi> · used <Age at={token.last_used_at} />
            </span>
          </span>
          <span className="flex shrink-0 items-center gap-2 text-xs">
            <Expiry at={token.expires_at} />
            {revokeButton(token)}
          </span>
        </span>
      )}
      empty={
        <EmptyState
          title="No data available"
          actions={
            <Button kind="primary" onClick={() => setIsCreating(true)}>
              Create access token
            </Button>
          }
        >
          With an access token a program or the command line signs in without a password.
        </EmptyState>
      }
    >
      {isCreating && <TokenDialog onClose={() => setIsCreating(false)} />}
      {revoking && (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          action={revoke.isPending ? "Revoking" : "Revoke"}
          isBusy={revoke.isPending}
          onClose={() => setRevoking(null)}
          onConfirm={() =>
            revoke.mutate(revoking, {
              onSuccess: () => {
                toastDone(`${revoking.name} revoked`);
                setRevoking(null);
              },
            })
          }
        >
          <p className="m-0 text-sm">
            Whatever uses it is refused from now on. It cannot be undone.
          </p>
        </Confirm>
      )}
    </ListPage>
  );
}
