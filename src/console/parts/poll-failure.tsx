import type { Polled } from "../polled.ts";
import { Problem } from "./problem.tsx";

/** The error of polling, and a note that it is retried. */
export function PollFailure(props: { polled: Polled; scope: string }) {
  const { polled, scope } = props;
  const { error, answer } = polled;
  if (error === undefined) return null;
  return (
    <>
      <Problem error={error} scope={scope} />
      <p>
        {answer ? "This page shows the last response. " : ""}The console retries while the page is
        visible.
      </p>
    </>
  );
}
