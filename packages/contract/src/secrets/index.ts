export { addressTarget, maskAddress, secretRanges } from "./address-secrets.ts";
export { secretPlaceholder } from "./marks.ts";
export {
  mapSecrets,
  type SecretDocument,
  type SecretPlace,
  secretPlacesIn,
} from "./map-secrets.ts";
export { isHarmlessHeader, namesSecret } from "./secret-names.ts";
