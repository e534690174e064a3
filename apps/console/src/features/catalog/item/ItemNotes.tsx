import { longestNote } from "@mainstay/contract/catalog-notes.ts";
import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { TextAreaField } from "@mainstay/ui/fields/TextField.tsx";
import { messageOf } from "#lib/api-error.ts";
import { useAccess, useSession } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { useNoteChanges } from "./mutations.ts";
import { itemQueries, type Note } from "./queries.ts";

/** How many are shown before somebody asks for all. */
const fewNotes = 5;

const takeFocus = (element: HTMLElement | null): void => element?.focus();
const takeFocusBack = (element: HTMLElement | null): void => {
  if (document.activeElement === document.body) takeFocus(element);
};

interface NoteBoxProps {
  label: string;
  draft: { text: string; change: (text: string) => void };
  action: string;
  isBusy: boolean;
  error: string | undefined;
  onSend: () => void;
  onCancel?: () => void;
  /** Escape leaves it for now: what was typed is there again when it is opened. */
  onLeave?: () => void;
  takesFocus?: boolean;
  ref?: RefObject<HTMLTextAreaElement | null>;
}

/** Enter sends, Shift and Enter break the line. */
function NoteBox(props: NoteBoxProps) {
  const { label, draft, action, isBusy, error, takesFocus = false, ref } = props;
  const { onSend, onCancel, onLeave } = props;
  const isEmpty = draft.text.trim() === "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onLeave?.();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!isEmpty && !isBusy) onSend();
  };
  return (
    <div className="flex flex-col gap-1.5">
      <TextAreaField
        label={label}
        hideLabel
        rows={2}
        ref={takesFocus ? takeFocus : ref}
        maxLength={longestNote}
        placeholder="What should the next one know?"
        value={draft.text}
        onChange={draft.change}
        onKeyDown={onKeyDown}
        error={error}
      />
      {(!isEmpty || onCancel) && (
        <span className="flex justify-end gap-2">
          {onCancel && <Button onClick={onCancel}>Cancel</Button>}
          <Button kind="primary" disabled={isEmpty || isBusy} onClick={onSend}>
            {action}
          </Button>
        </span>
      )}
    </div>
  );
}

function EditNote({ itemId, note, onDone }: { itemId: string; note: Note; onDone: () => void }) {
  const { change } = useNoteChanges(itemId);
  const draft = useDraft(`note.${note.id}`, note.note);
  const done = () => {
    draft.discard();
    onDone();
  };
  return (
    <NoteBox
      label="Note"
      draft={draft}
      action="Save"
      isBusy={change.isPending}
      error={change.error ? messageOf(change.error) : undefined}
      onSend={() => change.mutate({ id: note.id, note: draft.text }, { onSuccess: done })}
      onCancel={done}
      onLeave={onDone}
      takesFocus
    />
  );
}

function NoteEntry({ itemId, note }: { itemId: string; note: Note }) {
  const { person } = useSession();
  const access = useAccess();
  const { remove } = useNoteChanges(itemId);
  const [isEditing, setIsEditing] = useState(false);
  const [wasEdited, setWasEdited] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const mayWrite = access.may("write", "comments");
  const isOwn = mayWrite && note.author?.id === person?.id;
  const author = note.author?.name ?? "Somebody";
  const done = () => {
    setIsEditing(false);
    setWasEdited(true);
  };
  if (isEditing) return <EditNote itemId={itemId} note={note} onDone={done} />;
  return (
    <article aria-label={`Note by ${author}`} className="flex flex-col gap-0.5">
      <header className="flex items-center gap-1.5 text-xs text-muted">
        <Avatar name={author} src={note.author?.avatar} size={18} />
        <span className="truncate font-medium text-text">{author}</span>
        <Age at={note.created_at} />
        {note.updated_at !== note.created_at && <span>(edited)</span>}
        <span className="ml-auto flex">
          {isOwn && (
            <IconButton
              label="Edit note"
              // Where the keyboard was before, unless it is somewhere else by now.
              {...(wasEdited && { ref: takeFocusBack })}
              className="size-6"
              icon={<Pencil size={12} strokeWidth={1.75} />}
              onClick={() => setIsEditing(true)}
            />
          )}
          {(isOwn || access.hasRole(["admin"])) && (
            <IconButton
              label="Delete note"
              className="size-6"
              icon={<Trash2 size={12} strokeWidth={1.75} />}
              onClick={() => setIsDeleting(true)}
            />
          )}
        </span>
      </header>
      <p className="m-0 text-sm break-words whitespace-pre-wrap">{note.note}</p>
      {isDeleting && (
        <Confirm
          title="Delete this note?"
          action="Delete"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(note.id, { onSettled: () => setIsDeleting(false) })}
          onClose={() => setIsDeleting(false)}
        >
          What {isOwn ? "you have" : `${author} has`} noted is lost.
        </Confirm>
      )}
    </article>
  );
}

/** What people have noted of an item, for whoever comes to it next. */
export function ItemNotes({ itemId }: { itemId: string }) {
  const access = useAccess();
  const { data, error, refetch } = useQuery(itemQueries.notes(itemId));
  const { add } = useNoteChanges(itemId);
  const draft = useDraft(`note-of.${itemId}`, "");
  const [showsAll, setShowsAll] = useState(false);
  const mayWrite = access.may("write", "comments");
  const box = useRef<HTMLTextAreaElement>(null);
  const wasNotes = useRef(0);
  const noteCount = data?.length ?? 0;
  useEffect(() => {
    // A note that was deleted took its buttons along, and the keyboard with them.
    if (noteCount < wasNotes.current) takeFocusBack(box.current);
    wasNotes.current = noteCount;
  }, [noteCount]);
  if (error && !data)
    return (
      <p role="alert" className="m-0 text-sm text-muted">
        The notes could not be loaded: {messageOf(error)}{" "}
        <Button kind="quiet" onClick={() => void refetch()}>
          Try again
        </Button>
      </p>
    );
  const shown = showsAll ? data : data?.slice(0, fewNotes);
  return (
    <div className="flex flex-col gap-2.5">
      {mayWrite && (
        <NoteBox
          ref={box}
          label="New note"
          draft={draft}
          action="Add note"
          isBusy={add.isPending}
          error={add.error ? messageOf(add.error) : undefined}
          onSend={() => add.mutate(draft.text, { onSuccess: draft.discard })}
        />
      )}
      {shown?.map((note) => (
        <NoteEntry key={note.id} itemId={itemId} note={note} />
      ))}
      {data?.length === 0 && !mayWrite && (
        <p className="m-0 text-sm text-muted">Nobody has noted anything.</p>
      )}
      {data && shown && data.length > shown.length && (
        <Button kind="quiet" onClick={() => setShowsAll(true)}>
          Show all {data.length} notes
        </Button>
      )}
    </div>
  );
}
