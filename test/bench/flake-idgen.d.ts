/** The part of it that the bench calls; it brings no types. */
declare module "flake-idgen" {
  export default class FlakeId {
    constructor(options?: { readonly id?: number; readonly epoch?: number });
    /** Big-endian, 8 bytes. Throws if the ms has no ID left. */
    next(): Buffer;
  }
}
