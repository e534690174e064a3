import {
  checkSpecs,
  defaultDomainDays,
  type DomainSpec,
  rdapBootstrap,
  readDomain,
} from "@mainstay/contract";
import { abortMessage, attempt, checkType, failed, passed, untried } from "../check-type.ts";
import { judgeEnd } from "../expiry.ts";
import { findRegistration, type Registration } from "./rdap.ts";

/** What comes after the end of a registration, before somebody else may have the name. */
const ending = ["redemption period", "pending delete"];

export const domain = checkType<DomainSpec>({
  type: "domain",
  spec: checkSpecs.domain,
  network: true,
  endpoint: (spec) => readDomain(spec.domain) ?? spec.domain,
  async run(input) {
    const { spec, connector, signal } = input;
    const name = readDomain(spec.domain);
    if (name === undefined) return failed("the domain is no name of one", { invalid: true });
    const { server, bootstrap = rdapBootstrap } = spec;
    return attempt(input, async () => {
      const question = { name, bootstrap, ...(server !== undefined && { server }) };
      let found: Registration | undefined;
      try {
        found = await findRegistration(question, { connector, signal });
      } catch (error) {
        // It is the registry that was slow.
        if (signal.aborted) return untried(`the registry: ${abortMessage(input)}`);
        throw error;
      }
      if (!found) return failed(`${name} is not registered`);
      const { ends, statuses, registrar } = found;
      const details = {
        domain: found.name,
        statuses,
        ...(registrar !== undefined && { registrar }),
        ...(ends && { expires: ends.toISOString() }),
      };
      const lost = statuses.find((status) => ending.includes(status.toLowerCase()));
      const expires = ends && ({ at: ends, what: "domain" } as const);
      const outcome = { details, ...(expires && { expires }) };
      if (lost !== undefined) return failed(`${found.name} is being given up: ${lost}`, outcome);
      if (!ends) return untried(`the registry does not say when ${found.name} ends`, outcome);
      const what = `the registration of ${found.name}`;
      const { error, message } = judgeEnd(what, ends, spec.maxDomainExpiry ?? defaultDomainDays);
      return error === undefined ? passed(message, outcome) : failed(error, outcome);
    });
  },
});
