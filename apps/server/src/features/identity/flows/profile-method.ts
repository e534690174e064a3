import sql from "sql-template-tag";
import { findIdentityByAddress, isAddressTaken } from "../change-identity.ts";
import { messages } from "./messages.ts";
import { type Method, Refused } from "./method.ts";
import { readTraits, traitNodes, traitValues } from "../traits.ts";
import { submit } from "./ui-nodes.ts";

/** Name and address. */
export const profile: Method = {
  name: "profile",
  settings: {
    // A name is nobody's secret; an address is where a new password is sent to.
    isPrivileged: (fields, { session }) =>
      readTraits(fields).traits.email !== session!.identity.traits.email,
    nodes: ({ flow, session }) => [
      ...traitNodes("profile", {
        ...traitValues(session!.identity.traits),
        ...(flow.state.active === "profile" ? flow.state.values : {}),
      }),
      submit("profile", "method", "profile", messages.save),
    ],
    async submit({ exchange, session }, fields) {
      const { ctx } = exchange;
      const { id, traits: before } = session!.identity;
      const { traits, values, fieldMessages } = readTraits(fields);
      const address = traits.email!;
      const isNew = address !== before.email;
      const other =
        isNew && !fieldMessages["traits.email"] && (await findIdentityByAddress(ctx.db, address));
      if (other && other.id !== id) fieldMessages["traits.email"] = [messages.addressTaken];
      if (Object.keys(fieldMessages).length > 0) return { refusal: { values, fieldMessages } };
      return {
        done: {
          async apply(tx) {
            // First the person, whom the identity's change changes too: administrators lock them in this order.
            await tx.run(sql`select from people where id = ${id} for no key update`);
            await tx
              .run(sql`
                update identities set traits = (traits - 'name') || ${JSON.stringify(traits)}::jsonb where id = ${id}`)
              .catch((error: unknown) => {
                if (!isAddressTaken(error)) throw error;
                throw new Refused({
                  values,
                  fieldMessages: { "traits.email": [messages.addressTaken] },
                });
              });
            if (isNew) await tx.run(sql`delete from identity_codes where identity_id = ${id}`);
          },
          // As it is kept.
          change: { values: { ...values, "traits.email": address } },
          ...(isNew
            ? {
                newAddress: address,
                ...(before.email
                  ? {
                      notice: {
                        subject: "Your e-mail address was changed",
                        text: `The e-mail address of your account was changed to ${address}.`,
                        to: before.email,
                      },
                    }
                  : {}),
              }
            : {}),
        },
      };
    },
  },
};
