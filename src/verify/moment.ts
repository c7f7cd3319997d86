/** A moment by two clocks: ms since the run began, which never goes back, and unix ms. */
export interface Moment {
  readonly ms: number;
  readonly unixMs: number;
}
