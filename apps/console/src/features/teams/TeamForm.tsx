import { parseDocument, stringify } from "yaml";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import type { TeamInput } from "./mutations.ts";
import type { Team } from "./queries.ts";

export interface TeamValues {
  name: string;
  icon: string;
  spec: string;
}
/** What is wrong, once it was asked to be saved. */
export type TeamErrors = { name?: string; spec?: string };

export const teamValues = (team: Team | null): TeamValues => ({
  name: team?.name ?? "",
  icon: team?.icon ?? "",
  spec: team?.spec && Object.keys(team.spec).length > 0 ? stringify(team.spec) : "",
});

const MOST = 128;

/** What is to be saved, or what is wrong with it. */
export function readTeamForm(form: TeamValues): { team: TeamInput } | { errors: TeamErrors } {
  const errors: TeamErrors = {};
  if (form.name.trim() === "") errors.name = "This field is required";
  // Not cut while it is typed or pasted: what is left would be another name.
  if (form.name.trim().length > MOST) errors.name = `At most ${MOST} characters`;
  let spec: unknown = null;
  if (form.spec.trim() !== "") {
    const document = parseDocument(form.spec);
    const [problem] = document.errors;
    spec = problem ? null : (document.toJS({ maxAliasCount: 100 }) as unknown);
    if (problem) errors.spec = problem.message.split("\n")[0] ?? "The text is not valid YAML.";
    else if (typeof spec !== "object" || Array.isArray(spec))
      errors.spec = "Spec must be a mapping: keys with their values.";
  }
  if (Object.keys(errors).length > 0) return { errors };
  return {
    team: {
      name: form.name.trim(),
      icon: form.icon.trim() === "" ? null : form.icon.trim(),
      spec: spec as TeamInput["spec"],
    },
  };
}

/** Name, icon and spec of a team. */
export function TeamForm({
  values,
  errors,
  onChange,
  readOnly = false,
}: {
  values: TeamValues;
  errors: TeamErrors;
  onChange: (part: Partial<TeamValues>) => void;
  readOnly?: boolean;
}) {
  return (
    <>
      <TextField
        label="Name"
        required
        value={values.name}
        readOnly={readOnly}
        onChange={(name) => onChange({ name })}
        error={errors.name}
      />
      <div className="flex items-end gap-2">
        <TextField
          label="Icon"
          value={values.icon}
          readOnly={readOnly}
          maxLength={256}
          className="flex-1"
          onChange={(icon) => onChange({ icon })}
          placeholder="kubernetes, postgres, aws, ..."
        />
        <span className="flex size-8 items-center justify-center">
          <Icon name={values.icon.trim() || values.name} size={20} />
        </span>
      </div>
      <div className="flex min-h-60 flex-1 flex-col gap-1">
        <span className="text-xs text-muted">Spec</span>
        <YamlEditor
          label="Spec"
          value={values.spec}
          readOnly={readOnly}
          onChange={(spec) => onChange({ spec })}
        />
        {errors.spec !== undefined && (
          <span role="alert" className="text-xs text-unhealthy-fg">
            {errors.spec}
          </span>
        )}
      </div>
    </>
  );
}
