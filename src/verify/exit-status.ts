import type { CheckName, VerifyReport } from "./report.ts";

export const EXIT_HELD = 0;
export const EXIT_BROKEN = 1;
export const EXIT_BAD_USAGE = 2;
/** No ID came: a server that is not there, a wrong key, a wrong namespace. Nothing is said of any promise. */
export const EXIT_NOTHING_PROVED = 3;
export const EXIT_INTERRUPTED = 130;

/** The promises that were broken. That no ID came breaks none. */
export function brokenPromises({ checks }: Pick<VerifyReport, "checks">): CheckName[] {
  return checks.flatMap(({ name, verdict }) =>
    verdict === "broken" && name !== "history" ? [name] : [],
  );
}

/** What the command ends with after a run. A signal hides no broken promise. */
export function exitStatusOf(report: Pick<VerifyReport, "ok" | "interrupted" | "checks">): number {
  if (report.ok) return EXIT_HELD;
  if (brokenPromises(report).length > 0) return EXIT_BROKEN;
  return report.interrupted ? EXIT_INTERRUPTED : EXIT_NOTHING_PROVED;
}
