import type { AwsKind } from "../area.ts";
import { applications } from "./applications.ts";
import { containers } from "./containers.ts";
import { databases } from "./databases.ts";
import { dns } from "./dns.ts";
import { identity } from "./identity.ts";
import { loadBalancers } from "./load-balancers.ts";
import { machines } from "./machines.ts";
import { network } from "./network.ts";
import { storage } from "./storage.ts";

/** Everything that is read of an account. */
export const awsKinds: readonly AwsKind[] = [
  ...network,
  ...machines,
  ...identity,
  ...databases,
  ...storage,
  ...loadBalancers,
  ...containers,
  ...applications,
  ...dns,
];
