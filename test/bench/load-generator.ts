/** A load generator: a process that runs the jobs that its parent sends, and ends with it. */
import * as v from "valibot";
import { type FromGenerator, ToGenerator } from "./load-messages.ts";
import { LoadRun } from "./load-run.ts";

let run: LoadRun | undefined;

function answer(message: FromGenerator): void {
  process.send?.(message);
}

process.on("message", (message: unknown) => {
  const asked = v.parse(ToGenerator, message);
  if (asked.kind === "count") return answer({ kind: "count", served: run?.served() ?? 0 });
  run = new LoadRun(asked.job);
  run.run().then(
    (result) => answer({ kind: "result", result }),
    (error: unknown) => answer({ kind: "failed", reason: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
// The parent decides when it ends.
process.on("SIGINT", () => {});
