import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { CornerDownLeft, Link } from "lucide-react";
import { type ComponentType, type ReactNode, useState } from "react";
import { type CommandGroup, CommandPalette } from "@mainstay/ui/command-palette/CommandPalette.tsx";
import { resourceSearchMs } from "@mainstay/ui/choice/use-choice-search.ts";
import { Icon, type IconMark } from "@mainstay/ui/Icon.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { copyText, toastFailed } from "@mainstay/ui/toasts.ts";
import { ApiError, messageOf, serverIssues } from "#lib/api-error.ts";
import type { ConsoleFeature, PaletteAction, ResourceAction } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";
import { useAccess, useSession } from "#lib/use-access.ts";
import { useDebouncedText } from "#lib/use-debounced.ts";
import { type Offered, type PageEntry, pageEntries } from "./entries.ts";
import { guessEntries, matchEntries } from "./match-entries.ts";
import { type FoundKind, foundKinds, paletteQueries, stillMatching } from "./queries.ts";
import { readRecent, type Recent, type RecentResource, rememberRecent } from "./recent.ts";
import { mostShown } from "./search-selectors.ts";
import { useOwnActions } from "./use-own-actions.ts";

export type PaletteDialog = ComponentType<{ onClose: () => void }>;

export interface PaletteProps {
  features: readonly ConsoleFeature[];
  offered: Offered;
  /** What was typed before it had the keyboard, once. */
  takeBegun: () => string | undefined;
  onClose: () => void;
  /** An action's dialog takes the palette's place. */
  onDialog: (load: () => Promise<PaletteDialog>) => void;
}

/** A command and what it does. */
interface Entry {
  id: string;
  label: string;
  detail?: string | undefined;
  icon: ReactNode;
  hasMore?: boolean;
  choose: () => void;
}

/** What was found, whose actions are listed. */
interface Opened {
  kind: FoundKind;
  resource: Omit<RecentResource, "kind">;
}

const markOf = (name: string, mark: ComponentType<IconMark> | undefined) => (
  <Icon name={name} mark={mark} />
);

/** What is wrong with a query is told with its place in it; where that is in the request concerns nobody here. */
function reasonOf(failure: unknown): string {
  const [issue] = serverIssues(failure);
  if (!issue?.column) return messageOf(failure);
  return `Character ${issue.column}: ${issue.message}.`;
}

/** Asking the same again may help. */
const isPassing = (failure: unknown) =>
  !(failure instanceof ApiError) || ![400, 401, 403].includes(failure.status);

/** Pages, actions and resources in one list: type a part of a name, press Enter. */
export function Palette({ features, offered, takeBegun, onClose, onDialog }: PaletteProps) {
  const { history } = useRouter();
  const access = useAccess();
  const personId = useSession().person?.id;
  const [asked, setAsked] = useState("");
  const [text, setText] = useDebouncedText(asked, setAsked, resourceSearchMs);
  const [recent] = useState(() => readRecent(personId));
  const own = useOwnActions();
  const [opened, setOpened] = useState<Opened>();
  /** What was searched for when its actions were asked for. */
  const [before, setBefore] = useState("");
  const client = useQueryClient();
  const parts = useQuery(paletteQueries.parts(features));
  const kinds = foundKinds(features).filter((kind) => access.gate(kind) === "open");
  const actions = [...(parts.data?.actions ?? []), ...own].filter(
    (action) => access.gate(action) === "open",
  );
  const wanted = text.trim();
  const answer = useQuery({
    ...paletteQueries.resources(
      kinds.map(({ search }) => search),
      asked.trim(),
    ),
    enabled: asked.trim() !== "" && wanted !== "" && kinds.length > 0,
  });

  const go = (to: string, entry: Recent) => {
    rememberRecent(personId, entry);
    onClose();
    history.push(to);
  };
  const asPage = (page: PageEntry): Entry => ({
    id: `page:${page.to}`,
    label: page.label,
    detail: page.detail,
    icon: markOf(page.label, page.icon),
    choose: () => go(page.to, { kind: "page", to: page.to }),
  });
  const asAction = (action: PaletteAction): Entry => ({
    id: `action:${action.label}`,
    label: action.label,
    icon: markOf(action.label, action.icon),
    choose: () => {
      if ("loadDialog" in action) return onDialog(action.loadDialog);
      onClose();
      if ("to" in action) history.push(action.to);
      else void action.run();
    },
  });
  const asFound = (
    kind: FoundKind,
    { id, name, namespace, type, status }: Omit<RecentResource, "kind"> & { status?: string },
  ): Entry => ({
    id: `${kind.kind}:${id}`,
    label: name,
    detail: status === "unhealthy" ? `${namespace} · failing` : namespace,
    icon: (
      <>
        {markOf(type, kind.search.loadMarks ? parts.data?.marks[kind.kind]?.[type] : kind.icon)}
        {status === "unhealthy" && <StatusDot tone="unhealthy" />}
      </>
    ),
    hasMore: true,
    choose: () => openFound(kind, { id, name, namespace, type }),
  });
  const openFound = (kind: FoundKind, resource: Omit<RecentResource, "kind">) =>
    go(kind.to(resource.id, new URL(window.location.href)), { kind: kind.kind, ...resource });
  const addressOf = ({ kind, resource }: Opened) =>
    new URL(kind.to(resource.id, new URL(paths.home(), window.location.href)), window.location.href)
      .href;
  const asResourceAction = (of: Opened, action: ResourceAction): Entry => ({
    id: `do:${action.label}`,
    label: action.label,
    icon: markOf(action.label, action.icon),
    choose: () => {
      onClose();
      if ("run" in action) {
        void Promise.resolve(action.run(of.resource.id)).then(() =>
          client.invalidateQueries({ type: "active" }),
        );
        return;
      }
      action.find(of.resource.id).then(
        (to) => (to === undefined ? toastFailed("It is not there any more.") : history.push(to)),
        (failure: unknown) => toastFailed(messageOf(failure)),
      );
    },
  });
  /** What can be done with one of them: what every kind offers, and what its own feature adds for who may. */
  const actionsOf = (of: Opened): Entry[] => {
    const added = (parts.data?.resourceActions[of.kind.kind] ?? []).filter(
      (action) =>
        access.gate(action) === "open" &&
        (action.roles === undefined || access.hasRole(action.roles)),
    );
    const all: Entry[] = [
      {
        id: "do:open",
        label: "Open",
        icon: markOf("Open", CornerDownLeft),
        choose: () => openFound(of.kind, of.resource),
      },
      ...added.map((action) => asResourceAction(of, action)),
      {
        id: "do:copy",
        label: "Copy link",
        icon: markOf("Copy link", Link),
        choose: () => {
          onClose();
          void copyText(addressOf(of));
        },
      },
    ];
    return matchEntries(all, wanted);
  };

  const pages = pageEntries(features, offered, access);
  const asRecent = (entry: Recent): Entry[] => {
    if ("to" in entry) {
      const page = pages.find(({ to }) => to === entry.to);
      return page ? [{ ...asPage(page), id: `recent:${page.to}` }] : [];
    }
    const kind = kinds.find((one) => one.kind === entry.kind);
    return kind ? [{ ...asFound(kind, entry), id: `recent:${entry.id}` }] : [];
  };
  const isCurrent = answer.data?.text === wanted;
  const found = kinds.map((kind) => ({
    kind,
    outcome: wanted === "" ? undefined : answer.data?.byKind[kind.search.as],
  }));
  const hasWords = [...pages, ...actions].some((entry) => matchEntries([entry], wanted).length > 0);
  const match = hasWords ? matchEntries : guessEntries;
  const everywhere: (CommandGroup & { commands: readonly Entry[] })[] = [
    { label: "Recent", commands: wanted === "" ? recent.flatMap(asRecent) : [] },
    { label: "Pages", commands: match(pages, wanted).map(asPage) },
    { label: "Actions", commands: match(actions, wanted).map(asAction) },
    // Last, because they come last: nothing above them moves when they do.
    ...found.map(({ kind, outcome }) => {
      if (!outcome || "failure" in outcome) return { label: kind.label.many, commands: [] };
      const { resources, isPartial } = outcome;
      const shown = isCurrent ? resources : stillMatching(resources, wanted);
      return {
        label: kind.label.many,
        commands: shown.map((resource) => asFound(kind, resource)),
        note:
          isPartial && isCurrent ? `The first ${mostShown}: type more to narrow them` : undefined,
      };
    }),
  ];
  const groups = opened ? [{ label: "Actions", commands: actionsOf(opened) }] : everywhere;
  const more = (id: string) => {
    for (const { kind, outcome } of found) {
      const resources = outcome && "resources" in outcome ? outcome.resources : [];
      const resource = resources.find((one) => `${kind.kind}:${one.id}` === id);
      if (resource) show({ kind, resource });
    }
    for (const entry of recent) {
      const kind = "to" in entry ? undefined : kinds.find((one) => one.kind === entry.kind);
      if (kind && !("to" in entry) && `recent:${entry.id}` === id) show({ kind, resource: entry });
    }
  };
  const show = ({ kind, resource: { id, name, namespace, type } }: Opened) => {
    setBefore(text);
    setText("");
    setOpened({ kind, resource: { id, name, namespace, type } });
  };
  const isBusy =
    parts.isPending ||
    (!opened &&
      kinds.length > 0 &&
      wanted !== "" &&
      (wanted !== asked.trim() || answer.isFetching));
  const failures = isBusy
    ? []
    : [
        ...(parts.isError ? [parts.error] : []),
        ...found.flatMap(({ outcome }) =>
          outcome && "failure" in outcome ? [outcome.failure] : [],
        ),
      ];
  const retry = () => {
    if (parts.isError) void parts.refetch();
    if (wanted !== "") void answer.refetch();
  };

  return (
    <CommandPalette
      label="Search pages, resources and actions"
      placeholder="Search pages, resources and actions"
      text={text}
      onText={setText}
      onFocus={() => {
        const begun = takeBegun();
        if (begun) setText(begun);
      }}
      groups={groups}
      onMore={more}
      within={
        opened && {
          label: opened.resource.name,
          onBack: () => {
            setOpened(undefined);
            setText(before);
          },
        }
      }
      onChoose={(id) =>
        groups
          .flatMap(({ commands }) => commands)
          .find((entry) => entry.id === id)
          ?.choose()
      }
      onClose={onClose}
      isBusy={isBusy}
      emptyText={
        failures.length > 0
          ? "No page or action is called that."
          : `Nothing was found for “${wanted}”.`
      }
      notice={
        failures.length > 0 ? (
          <>
            <span role="alert" className="min-w-0 flex-1 break-words text-unhealthy-fg">
              {reasonOf(failures[0])}
            </span>
            {failures.some(isPassing) && (
              <button
                type="button"
                onClick={retry}
                className="shrink-0 rounded-control px-1.5 py-0.5 font-medium text-accent hover:bg-hover"
              >
                Try again
              </button>
            )}
          </>
        ) : undefined
      }
    />
  );
}
