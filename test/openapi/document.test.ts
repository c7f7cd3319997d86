import { expect, it } from "vitest";
import { wholeDocument } from "../../src/http/openapi.ts";
import { openApiParts } from "../../src/openapi/document.ts";

const textOf = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

it("the committed parts are fresh (npm run openapi writes them)", async () => {
  await expect(textOf(openApiParts())).toMatchFileSnapshot("../../src/http/openapi-parts.json");
});

it("the committed document is fresh (npm run openapi writes it)", async () => {
  const whole = textOf(wholeDocument(openApiParts()));
  await expect(whole).toMatchFileSnapshot("../../src/http/openapi.json");
});
