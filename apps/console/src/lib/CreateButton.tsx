import { Plus } from "lucide-react";
import { IconButton } from "@mainstay/ui/Button.tsx";

/** The round button beside the title of a list that makes one more. */
export const CreateButton = ({ label, onCreate }: { label: string; onCreate: () => void }) => (
  <IconButton
    label={label}
    icon={<Plus size={16} strokeWidth={2} />}
    className="rounded-full! border-control! text-text!"
    onClick={onCreate}
  />
);
