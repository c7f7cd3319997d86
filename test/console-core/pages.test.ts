/** The page of an address, without a request. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { designIn } from "../../src/console/design/design-input.ts";
import { LayoutForm } from "../../src/console/design/layout-form.tsx";
import { parseRoute } from "../../src/console/route.ts";
import { ENCODINGS, encode } from "../../src/core/codec.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { VECTORS } from "../core/vectors.ts";
import { alertsOf, cellOf, expectHarmless, htmlOf, pageAt, wordsOf } from "./view.ts";

const asked = vi.fn<typeof fetch>();
beforeEach(() => {
  vi.stubGlobal("fetch", asked);
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 1) });
});
afterEach(() => {
  expect(asked).not.toHaveBeenCalled();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const OF_PRESETS = VECTORS.flatMap((vector) => {
  const [name] = [...PRESETS].find(([, { layout }]) => layout === vector.layout) ?? [];
  return name === undefined ? [] : [{ ...vector, name }];
});

const TWEET = 1541815603606036480n;

describe("Decode", () => {
  it.each(OF_PRESETS)("the golden vector $title", ({ name, id, unixMs, parts }) => {
    const html = pageAt(`#/decode/${name}/${id}`);
    const time = new Date(unixMs).toISOString();
    expect(cellOf(html, "time").replaceAll(" ", "")).toMatch(new RegExp(`^${time}UTC.*ago$`));
    expect(cellOf(html, "unix ms")).toBe(`${unixMs}`);
    for (const [field, value] of Object.entries(parts)) {
      expect(cellOf(html, field).split(" ")[0], field).toBe(`${value}`);
    }
    for (const one of ENCODINGS) expect(cellOf(html, one)).toBe(encode(id, one));
  });

  it("shows each bit, and the fields' widths and values", () => {
    const html = pageAt(`#/decode/twitter/${TWEET}`);
    const bits = [...html.matchAll(/<i class(?:="set")?>([01])<\/i>/g)].map(([, bit]) => bit);
    expect(bits.length).toBe(63);
    expect(BigInt(`0b${bits.join("")}`)).toBe(TWEET);
    expect(html).toContain(
      'role="img" aria-label="63 bits, from the most significant: timestamp 367597485448 in 41 bits, datacenter 11 in 5 bits, worker 26 in 5 bits, sequence 0 in 12 bits"',
    );
  });

  it("says how long ago the time was", () => {
    const html = pageAt(`#/decode/twitter/${TWEET}`);
    expect(cellOf(html, "time")).toMatch(/3 years ago$/);
  });

  it.each(ENCODINGS)("detects %s, and decodes a shared address with it", (encoding) => {
    const text = encode(TWEET, encoding);
    const detected = pageAt(`#/decode/twitter/${text}`);
    expect(cellOf(detected, "decimal")).toBe(`${TWEET}`);
    expect(wordsOf(detected)).toContain(`Read as ${encoding}, auto-detected`);
    const told = pageAt(`#/decode/twitter/${text}?encoding=${encoding}`);
    expect(cellOf(told, "decimal")).toBe(`${TWEET}`);
    expect(wordsOf(told)).toContain(`Read as ${encoding}.`);
  });

  it("detects the encoding if the address names an unknown one", () => {
    const html = pageAt(`#/decode/twitter/${TWEET}?encoding=number`);
    expect(wordsOf(html)).toContain("Read as decimal, auto-detected");
    expect(html).toContain('<option value="auto" selected>');
  });

  it.each([
    ["twitter/-5", /Not an ID in any encoding/],
    ["twitter/1541815603606036480%207", /Not an ID in any encoding/],
    ["twitter/99999999999999999999999", /Not an ID in any encoding/],
    ["twitter/%3Cimg%20src=x%20onerror=alert(1)%3E", /Not an ID in any encoding/],
    ["js53/9007199254740992?encoding=decimal", /of this namespace, whose IDs have 53 bits/],
    ["js53/XYZ?encoding=hex", /Not an ID in hex: .*1 to 16 digits 0-9a-f/],
    ["..%2F/1", /A namespace’s name is a letter/],
  ])("%s: says why it shows no ID", (address, why) => {
    const html = pageAt(`#/decode/${address}`);
    expect(alertsOf(html)).toMatch(why);
    expectHarmless(html);
  });
});

describe("Range", () => {
  it.each([
    ["soon", "2026-01-01", /A time must be unix ms/],
    ["2026-02-30", "2026-03-01", /A time must be unix ms/],
    ["2026-02-01", "2026-01-01", /must be after/],
    ["2001-01-01", "2002-01-01", /before this layout’s epoch/],
    ["2200-01-01", "2201-01-01", /after this layout’s last timestamp/],
  ])("%s to %s: says why the range is invalid", (from, until, why) => {
    const html = pageAt(`#/range/twitter?from=${from}&until=${until}`);
    expect(alertsOf(html)).toMatch(why);
    expectHarmless(html);
  });
});

describe("Design", () => {
  it("says which limits it reaches, and why, and offers no body", () => {
    const html = pageAt("#/design?bits=45.0.10.0.12");
    expect(alertsOf(html)).toMatch(/timestampBits \+ sequenceBits .*at most 53.*most 63/s);
    expect(cellOf(html, "timestamp + sequence")).toMatch(/4 too many: 57 of 53.*exact number/);
    expect(cellOf(html, "timestamp + datacenter + worker + lane + sequence")).toMatch(
      /4 too many: 67 of 63.*64-bit/,
    );
    expect(wordsOf(html)).not.toContain("Create it");
  });

  it("says how many shards are possible", () => {
    const html = pageAt("#/design?bits=32.0.4.1.16&tick=1000&shards=9");
    expect(alertsOf(html)).toMatch(/shards .*from 1 to 8/);
    expect(cellOf(html, "shards")).toMatch(/1 too many: 9 of 8 shards.*lower half/);
    expect(wordsOf(html)).not.toContain("Create it");
  });

  it("an epoch that is no time: says so, and does not use another", () => {
    const spec = { ...designIn(parseRoute("#/design")).spec, epochMs: Number.NaN };
    const html = htmlOf(LayoutForm({ spec, onChange: () => undefined }));
    expect(alertsOf(html)).toMatch(/The epoch must be unix ms/);
    expectHarmless(html);
  });

  it("decodes times beyond the integers that a number holds exactly", () => {
    const html = pageAt("#/design/9007199254740991?bits=53.0.0.0.0&tick=1000&epoch=1");
    expect(cellOf(html, "unix ms")).toBe("9007199254740991001");
    expect(cellOf(html, "time")).toBe("past the year 275760");
  });

  it("sliders announce their values in words, once", () => {
    const html = pageAt("#/design?tick=1");
    expect(html).toContain('aria-label="Epoch’s day" aria-valuetext="2025-01-01"');
    expect(html).toContain('aria-label="Lane bits" aria-valuetext="0"');
  });
});

describe("a field's error is tied to the field", () => {
  it.each([
    ["#/decode/twitter/-1", "ID", /Not an ID in any encoding/],
    ["#/decode/no%2Fname", "Namespace", /name is a letter/],
    ["#/range/no%2Fname", "Namespace", /name is a letter/],
    ["#/range/default?from=x&until=2026-01-01", "From", /A time must be unix ms/],
    ["#/range/default?from=2026-01-01&until=x", "Until (not included)", /A time must be unix ms/],
    ["#/shards/no%2Fname", "Namespace", /name is a letter/],
    ["#/leases/no%2Fname", "Namespace", /name is a letter/],
    ["#/design/-1", "ID to decode with it", /Not an ID in any encoding/],
    ["#/design?shards=x", "Shards", /shards must be/],
    ["#/design?regions=mars", "Regions", /regions must be/],
  ])("%s: %s", (address, label, words) => {
    const html = pageAt(address);
    const wrong = [
      ...html.matchAll(
        /<span>([^<]*)<\/span><input[^>]* aria-invalid="true" aria-describedby="([^"]*)"/g,
      ),
    ];
    expect(wrong.map(([, name]) => name)).toEqual([label]);
    const problem = new RegExp(`<p[^>]* id="${wrong[0]?.[2]}"[^>]*>.*?</p>`).exec(html)?.[0] ?? "";
    expect(wordsOf(problem)).toMatch(words);
  });
});

const EVIL = "<img src=x onerror=window.pwned=1>";
const NAMES = [
  "decode",
  "range",
  "get",
  "design",
  "namespaces",
  "shards",
  "leases",
  "keys",
  EVIL,
  "__proto__",
  "",
];

describe("an address with", () => {
  it.each([
    ["broken escapes", "%E0%A4%A/%/%zz?encoding=%&from=%E0%A4%A"],
    ["half of a pair", "%ED%A0%80/%ED%B0%80?until=%ED%A0%80"],
    ["half of a pair, not escaped", "\ud800/\udc00?from=\ud800&encoding=\ud800"],
    ["100 kB", `${"a".repeat(50_000)}/${"9".repeat(50_000)}?from=${"7".repeat(50_000)}`],
    ["control characters", "a%00%01%1B%7F/%00%0A%0D?from=%00"],
    ["marks that turn the writing", "%E2%80%AE%D8%B9/%E2%81%A6%E2%80%AE1?from=%E2%80%AE"],
    ["a script's address", "javascript:window.pwned=1/javascript:window.pwned=1"],
    ["another host", "/evil.example//evil.example?from=//evil.example"],
    ["steps up", "../..%2F..%2Fv1%2Fkeys/%2e%2e?cursor=1"],
    ["HTML", `${EVIL}/${EVIL}?encoding=${EVIL}&from=${EVIL}&until=${EVIL}&regions=${EVIL}`],
    [
      "HTML, escaped",
      `${encodeURIComponent(EVIL)}/${encodeURIComponent(EVIL)}?bits=${encodeURIComponent(EVIL)}`,
    ],
    ["names that objects have", "__proto__/constructor?toString=1&__proto__=2"],
  ])("%s: each section is shown, without a request", (_, tail) => {
    for (const name of NAMES) {
      const html = pageAt(`#/${name}/${tail}`);
      expect(html.split("<h1").length).toBe(2);
      expectHarmless(html);
    }
  });
});
