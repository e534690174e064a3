declare module "#lib/places/place.ts" {
  interface PlaceData {
    /** The page of any resource, whatever its kind. */
    resource: { given: { kind: string; id: string }; row: { id: string } };
  }
}
