import { expect, it } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";

it("the committed document is fresh (npm run openapi writes it)", async () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../src/openapi/openapi.json");
});
