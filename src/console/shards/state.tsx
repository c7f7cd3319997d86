import type { ShardState } from "./shard-state.ts";

/** A state in words, with advice, and a link to the reference if callers get an error. */
export function State({ state: { level, words, advice, code } }: { state: ShardState }) {
  return (
    <div class="state">
      <b class={level}>{words}</b>
      {advice !== "" && <small> {advice}</small>}
      {code !== undefined && (
        <small>
          {" "}
          <a href={`/docs#${code}`}>More about {code}</a>
        </small>
      )}
    </div>
  );
}
