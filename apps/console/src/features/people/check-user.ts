import type { UserInput } from "./mutations.ts";

export type UserErrors = Partial<Record<keyof UserInput, string>>;

const address = /^\S+@\S+$/i;
const most = { firstName: 100, lastName: 100, email: 320 };

/**
 * What is wrong with the form (texts: document 3, section 5). Whoever is invited needs a last name; who is here already
 * may go without one, as the first administrator does.
 */
export function checkUser(
  user: Omit<UserInput, "role"> & { role: string },
  { isNew }: { isNew: boolean },
): UserErrors {
  const errors: UserErrors = {};
  if (user.firstName.trim() === "") errors.firstName = "Please provide valid first name";
  if (isNew && user.lastName.trim() === "") errors.lastName = "Please provide valid last name";
  if (user.email.trim() === "") errors.email = "Please provide valid email";
  else if (!address.test(user.email.trim()))
    errors.email = "Entered value does not match email format";
  // Not cut while it is typed or pasted: what is left would be another name.
  for (const field of ["firstName", "lastName", "email"] as const)
    if (Array.from(user[field].trim()).length > most[field])
      errors[field] = `At most ${most[field]} characters`;
  if (user.role === "") errors.role = "Please select any role";
  return errors;
}
