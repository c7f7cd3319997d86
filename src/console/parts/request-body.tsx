import { Code } from "./code.tsx";
import { Copy } from "./copy.tsx";

/** A request body, to read and to copy. `request`: its method and path. */
export function RequestBody({ request, body }: { request: string; body: object }) {
  const text = JSON.stringify(body, null, 2);
  return (
    <>
      <p>
        The body of <code>{request}</code> <Copy text={text} what="the body" />
      </p>
      <Code label="The body" text={text} />
    </>
  );
}
