/** Changes a namespace: the fields, the change to review, and its confirmation. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { FIELD_TEXTS } from "../../core/layout/fields.ts";
import type { NamespacePolicy } from "../../core/layout/policy.ts";
import type { NamespaceDefinition, SnowflakeDefinition } from "../../core/namespace/namespace.ts";
import { ask, type Json } from "../api.ts";
import { useAction } from "../parts/action.ts";
import { HintedField } from "../parts/hinted-field.tsx";
import { useParts } from "../parts/parts.ts";
import { Problem } from "../parts/problem.tsx";
import { RequestBody } from "../parts/request-body.tsx";
import { Table } from "../parts/table.tsx";
import { type Change, type ChangedField, changeOf, presetPolicyOf, textsOf } from "./change.ts";
import { isDescription } from "./definition.ts";
import { PolicyFields } from "./policy-fields.tsx";
import { SegmentFields } from "./segment-fields.tsx";
import { segmentDefaults } from "./segment-input.ts";
import { errorOf, type Texts, valueWords } from "./texts.ts";

interface State {
  readonly texts: Texts;
  readonly isReviewed: boolean;
  /** Why there is nothing to review; empty before a review. */
  readonly message: string;
}

/** `onChanged`: gets the result in words, and the changed description. */
export function EditForm(props: {
  name: string;
  stored: NamespaceDefinition;
  onCancel: () => void;
  onChanged: (words: string, after: Json) => void;
}) {
  const { name, stored, onCancel, onChanged } = props;
  const form = useParts<State>({ texts: textsOf(stored), isReviewed: false, message: "" });
  const { texts, isReviewed, message } = form.shown;
  const { isBusy, error, act } = useAction();
  const fields = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => fields.current?.querySelector("input")?.focus(), []);
  const change = changeOf(stored, texts);
  const type = (part: Texts): void => {
    form.change({ texts: { ...form.latest().texts, ...part }, isReviewed: false, message: "" });
  };
  const review = (event: Event): void => {
    event.preventDefault();
    const now = changeOf(stored, form.latest().texts);
    if (!now.ok) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    else if (now.fields.length === 0) form.change({ message: "Nothing is changed yet." });
    else form.change({ isReviewed: true, message: "" });
  };
  const send = (body: object, changed: readonly ChangedField[]): void =>
    act(async () => {
      const isAnswer = (answer: Json): boolean => answer.name === name && isDescription(answer);
      const after = await ask(`/v1/namespaces/${name}`, { method: "PATCH", body, isAnswer });
      onChanged(`${name} is changed: ${changed.map(changeWords).join("; ")}.`, after);
    });
  return (
    <>
      <h2>Change {name}</h2>
      <form onSubmit={review} ref={fields}>
        <Fields stored={stored} texts={texts} change={change} onChange={type} />
        {!isReviewed && (
          <div class="buttons">
            <button type="submit">Review the change</button>
            <Cancel onCancel={onCancel} />
          </div>
        )}
        <p role="status">{message}</p>
      </form>
      {isReviewed && change.ok && (
        <Review
          request={`PATCH /v1/namespaces/${name}`}
          change={change}
          isBusy={isBusy}
          onConfirm={() => send(change.body, change.fields)}
          onCancel={onCancel}
        />
      )}
      <Problem
        error={error}
        scope="admin"
        doubt="It may have been changed: reload the page to see. It is safe to try again."
      />
    </>
  );
}

function changeWords({ field, next }: ChangedField): string {
  return `${field} is now ${valueWords(field, next)}`;
}

function Fields(props: {
  stored: NamespaceDefinition;
  texts: Texts;
  change: Change;
  onChange: (part: Texts) => void;
}) {
  const { stored, texts, change, onChange } = props;
  const errors = change.ok ? [] : change.errors;
  if (stored.kind === "segment") {
    return (
      <SegmentFields
        names={["step", "max", "description"]}
        texts={texts}
        usual={segmentDefaults()}
        errors={errors}
        onChange={onChange}
      />
    );
  }
  return (
    <>
      <p>An empty field returns to the value of the preset {stored.preset}.</p>
      <div class="fields">
        <HintedField
          label="shards"
          value={texts.shards ?? ""}
          problem={errorOf(errors, "shards")}
          hint={`${FIELD_TEXTS.shards}.`}
          onValue={(text) => onChange({ shards: text.trim() })}
        />
      </div>
      <PolicyFields
        texts={texts}
        usual={usualOf(stored, texts)}
        errors={errors}
        onChange={onChange}
      />
    </>
  );
}

/** The values of empty fields. reserveMs follows from the other typed fields. */
function usualOf(stored: SnowflakeDefinition, texts: Texts): NamespacePolicy {
  const change = changeOf(stored, { ...texts, reserveMs: "" });
  const after = change.ok && change.after.kind === "snowflake" ? change.after : stored;
  return presetPolicyOf(after);
}

/** The change before it is sent: each field, and the request body. */
export function Review(props: {
  request: string;
  change: Extract<Change, { ok: true }>;
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { request, change, isBusy, onConfirm, onCancel } = props;
  const place = useRef<HTMLHeadingElement>(null);
  // Not the button: pressing "Review" twice would confirm.
  useLayoutEffect(() => place.current?.focus(), []);
  return (
    <>
      <h2 tabindex={-1} ref={place}>
        The change
      </h2>
      <Table
        label="The change"
        headings={["field", "now", "new"]}
        rows={change.fields.map(({ field, now, next, isReset }) => ({
          id: field,
          cells: [
            field,
            valueWords(field, now),
            <>
              <b>{valueWords(field, next)}</b>
              {isReset && <small> (default)</small>}
            </>,
          ],
        }))}
      />
      <RequestBody request={request} body={change.body} />
      <p>It applies everywhere within 30 s. Fields that are not in the body stay as they are.</p>
      <div class="buttons">
        <button
          type="button"
          class="main"
          aria-busy={isBusy ? "true" : "false"}
          onClick={onConfirm}
        >
          Send the change
        </button>
        <Cancel onCancel={onCancel} />
      </div>
    </>
  );
}

function Cancel({ onCancel }: { onCancel: () => void }) {
  return (
    <button type="button" onClick={onCancel}>
      Cancel
    </button>
  );
}
