import { Copy, MoreHorizontal, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { type CommandGroup, CommandPalette } from "@mainstay/ui/command-palette/CommandPalette.tsx";
import { Dialog, type DialogSize } from "@mainstay/ui/Dialog.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { Show, State } from "./Show.tsx";

const sizes: DialogSize[] = ["very-small", "small", "medium", "large", "full"];

function Example({ size, onClose }: { size: DialogSize; onClose: () => void }) {
  const [name, setName] = useState("");
  const [opensAnother, setOpensAnother] = useState(false);
  return (
    <Dialog
      title={`A ${size} dialog`}
      size={size}
      helpLink="/help"
      keepOpenOnOutsidePress
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={onClose}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField label="Name" value={name} onChange={setName} />
        <p className="m-0 text-sm text-muted">
          Tab stays inside, Escape closes, and the keyboard goes back to the button.
        </p>
        <div>
          <Button onClick={() => setOpensAnother(true)}>Open another on top</Button>
        </div>
      </div>
      {opensAnother && (
        <Dialog title="On top" size="very-small" onClose={() => setOpensAnother(false)}>
          Escape closes only this one.
        </Dialog>
      )}
    </Dialog>
  );
}

const commands: readonly CommandGroup[] = [
  {
    label: "Pages",
    commands: ["Health", "Users", "Feature flags"].map((label) => ({ id: label, label })),
  },
  {
    label: "Checks",
    note: "the first 20",
    commands: Array.from({ length: 20 }, (_, index) => ({
      id: `check-${index}`,
      label: `check ${index}`,
      detail: "default",
    })),
  },
];

/** “wait” is busy, “fail” says so. */
function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const words = text.trim().toLowerCase();
  return (
    <CommandPalette
      label="Search everything"
      placeholder="Pages and checks"
      text={text}
      onText={setText}
      groups={commands.map((group) => ({
        ...group,
        commands: group.commands.filter(({ label }) => label.toLowerCase().includes(words)),
      }))}
      isBusy={words === "wait"}
      emptyText="No result"
      {...(words === "fail" ? { notice: "Network Error. Please try again." } : {})}
      onChoose={(id) => {
        toastDone(`Chosen: ${id}`);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

export function Overlays() {
  const [open, setOpen] = useState<DialogSize | null>(null);
  const [isLong, setIsLong] = useState(false);
  const [isSearching, setIsSearching] = useState(false);
  const [columns, setColumns] = useState<Record<string, boolean>>({ name: true, age: true });
  const [theme, setTheme] = useState("light");
  return (
    <>
      <Show title="Dialogs">
        <State name="five sizes; each can be expanded, closed and has a help link">
          {sizes.map((size) => (
            <Button key={size} onClick={() => setOpen(size)}>
              {size}
            </Button>
          ))}
          <Button onClick={() => setIsLong(true)}>More than fits</Button>
        </State>
        {open && <Example size={open} onClose={() => setOpen(null)} />}
        {isLong && (
          <Dialog
            title={`A title ${"that goes on and on ".repeat(8)}`}
            onClose={() => setIsLong(false)}
            footer={<Button onClick={() => setIsLong(false)}>Close</Button>}
          >
            {Array.from({ length: 60 }, (_, index) => (
              <p key={index}>Paragraph {index + 1}</p>
            ))}
          </Dialog>
        )}
      </Show>
      <Show title="Menus">
        <State name="actions, choices, checks, texts; at most 800 px wide">
          <Menu
            label="Actions"
            align="start"
            renderTrigger={(trigger) => <Button {...trigger}>Actions</Button>}
            entries={[
              { kind: "text", content: "Signed in as ada@example.org" },
              { kind: "separator" },
              {
                kind: "action",
                label: "Edit",
                icon: <Pencil size={14} strokeWidth={1.75} />,
                onSelect: () => toastDone("Edit"),
              },
              {
                kind: "action",
                label: "Copy",
                icon: <Copy size={14} strokeWidth={1.75} />,
                onSelect: () => toastDone("Copy"),
              },
              {
                kind: "action",
                label: "Delete",
                icon: <Trash2 size={14} strokeWidth={1.75} />,
                disabled: true,
                onSelect: () => {},
              },
              { kind: "separator" },
              {
                kind: "choice",
                label: "Theme",
                value: theme,
                options: [
                  { value: "light", label: "Light" },
                  { value: "dark", label: "Dark" },
                ],
                onSelect: setTheme,
              },
              { kind: "separator" },
              {
                kind: "checks",
                label: "Columns",
                options: ["name", "age", "owner"].map((id) => ({
                  id,
                  label: id,
                  checked: columns[id] === true,
                })),
                onToggle: (id, checked) => setColumns({ ...columns, [id]: checked }),
              },
            ]}
          />
          <Menu
            label="A very wide menu"
            align="start"
            renderTrigger={(trigger) => (
              <IconButton
                label="A very wide menu"
                icon={<MoreHorizontal size={16} strokeWidth={1.75} />}
                {...trigger}
              />
            )}
            entries={Array.from({ length: 40 }, (_, index) => ({
              kind: "action" as const,
              label: `${index + 1}. ${"an entry with a long text ".repeat(index === 3 ? 12 : 2)}`,
              onSelect: () => toastDone(`Entry ${index + 1}`),
            }))}
          />
        </State>
      </Show>
      <Show title="Command palette">
        <State name="groups, a note, none found, busy, a failure">
          <Button onClick={() => setIsSearching(true)}>Search</Button>
        </State>
        {isSearching && <Palette onClose={() => setIsSearching(false)} />}
      </Show>
      <Show title="Popover">
        <State name="anything that floats">
          <Popover label="Labels" renderTrigger={(trigger) => <Button {...trigger}>Labels</Button>}>
            {(close) => (
              <div className="flex flex-col gap-2 p-3">
                <span className="text-sm">team=web, tier=1</span>
                <Button onClick={close}>Close</Button>
              </div>
            )}
          </Popover>
        </State>
      </Show>
    </>
  );
}
