import type { Polled } from "../polled.ts";
import { Problem } from "./problem.tsx";

/** Why nothing new comes, and that it is asked for again. */
export function PollFailure(props: { polled: Polled; scope: string }) {
  const { polled, scope } = props;
  const { error, answer } = polled;
  if (error === undefined) return null;
  return (
    <>
      <Problem error={error} scope={scope} />
      <p>
        {answer ? "What is shown was so when it answered last. " : ""}It is asked again while this
        page is visible.
      </p>
    </>
  );
}
