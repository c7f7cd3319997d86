/** The section Overview: what Edgeflake is, a live ID, the namespaces, and what needs attention. */
import { useLayoutEffect, useState } from "preact/hooks";
import { decodedId } from "../../core/layout/decoded.ts";
import { ask, type Json } from "../api.ts";
import { linesOf } from "../code-lines.ts";
import { Bits } from "../design/bits.tsx";
import { NamespacesHealth } from "../health/namespaces-health.tsx";
import { builtIn } from "../namespaces.ts";
import { useAction } from "../parts/action.ts";
import { Code } from "../parts/code.tsx";
import { Copy } from "../parts/copy.tsx";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { addressOf } from "../route.ts";
import { savedKey, useSavedKey } from "../session.ts";
import { idsIn } from "./request.tsx";

const NAMESPACE = "default";

export function Overview() {
  return (
    <>
      <p class="lead">
        Edgeflake issues unique 64-bit IDs in rough order of time. Each ID tells when it was issued
        and by which shard; no ID is issued twice, even after a restart or a clock that went back.
      </p>
      <LiveId />
      <h2>Three lines in your app</h2>
      <Lines />
      <NamespacesHealth />
    </>
  );
}

/** An ID that was just issued, in its parts. */
function LiveId() {
  const key = useSavedKey();
  const [id, setId] = useState("");
  const { isBusy, error, act } = useAction();
  const request = (): void =>
    act(async () => {
      const isAnswer = (answer: Json): boolean => idsIn(answer).length === 1;
      const [issued = ""] = idsIn(await ask(`/v1/ids/${NAMESPACE}`, { method: "POST", isAnswer }));
      setId(issued);
    });
  useLayoutEffect(request, [key]);
  return (
    <section class="live" aria-label="A live ID">
      <p class="id" role="status">
        {id === "" ? "…" : <a href={addressOf("decode", [NAMESPACE, id])}>{id}</a>}
      </p>
      <p class="buttons">
        <button type="button" aria-busy={isBusy ? "true" : "false"} onClick={request}>
          Request another
        </button>
        {id !== "" && <Copy text={id} what="the ID" />}
      </p>
      <Problem error={error} scope="issue" />
      {id !== "" && <Parts id={BigInt(id)} />}
    </section>
  );
}

function Parts({ id }: { id: bigint }) {
  const layout = builtIn(NAMESPACE)?.layout;
  const decoded = layout && decodedId(layout, id);
  if (!layout || !decoded) return null;
  return (
    <>
      <Bits layout={layout} id={id} />
      <p>
        Shard {decoded.shard} issued it at <Time unixMs={decoded.unixMs} />
      </p>
    </>
  );
}

function Lines() {
  const input = { name: NAMESPACE, count: "1", encoding: "decimal", key: "" };
  const [, client] = linesOf(input, location.origin, savedKey() !== "");
  const text = client?.[1] ?? "";
  return (
    <>
      <Code label="Three lines of code" text={text} />
      <p>
        <Copy text={text} what="the code" />{" "}
        <a href={addressOf("request", [NAMESPACE])}>curl, RPC and more</a>
      </p>
    </>
  );
}
