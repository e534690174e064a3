import { Building2, ChevronsUpDown, Plus } from "lucide-react";
import type { ComponentType } from "react";
import { Menu, type MenuEntry } from "@mainstay/ui/Menu.tsx";
import { chooseOrganization, type Organization } from "./organizations.ts";

export interface SwitcherParts {
  current: Organization;
  organizations: readonly Organization[];
  /** The provider's page where another one is created. */
  newAddress?: string;
}

const switched = "/organizations/orgs-switched";

/** Goes to another organization: what is open belongs to this one, so the console begins anew. */
export function switchTo(id: string): void {
  chooseOrganization(id);
  window.location.assign(switched);
}

/** The provider's page where an organization is created, which leads back to the choice of one. */
export function createAt(newAddress: string): void {
  chooseOrganization(null);
  const address = new URL(newAddress);
  address.searchParams.set("redirect_url", `${window.location.origin}${switched}`);
  window.location.assign(address.href);
}

/** Says whose console this is, and leads to the others one belongs to. */
export function makeSwitcher({ current, organizations, newAddress }: SwitcherParts): ComponentType {
  const entries: MenuEntry[] = [
    {
      kind: "choice",
      label: "Organization",
      value: current.id,
      options: organizations.map(({ id, name }) => ({ value: id, label: name })),
      onSelect: (id) => {
        if (id !== current.id) switchTo(id);
      },
    },
    ...(newAddress === undefined
      ? []
      : ([
          { kind: "separator" },
          {
            kind: "action",
            label: "Create organization",
            icon: <Plus size={14} strokeWidth={1.75} />,
            onSelect: () => createAt(newAddress),
          },
        ] satisfies MenuEntry[])),
  ];
  return function OrganizationSwitcher() {
    return (
      <Menu
        label="Organization"
        entries={entries}
        renderTrigger={(trigger) => (
          <button
            type="button"
            aria-label={`Organization: ${current.name}`}
            data-tooltip="Switch organization"
            className="flex h-7 max-w-44 min-w-0 items-center gap-1.5 rounded-control px-2 text-sm text-muted hover:bg-hover hover:text-text"
            {...trigger}
          >
            <Building2 size={16} strokeWidth={1.75} className="shrink-0" />
            <span className="truncate max-phone:hidden">{current.name}</span>
            <ChevronsUpDown size={12} strokeWidth={1.75} className="shrink-0 max-phone:hidden" />
          </button>
        )}
      />
    );
  };
}
