import { render } from "hono/jsx/dom";
import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root) render(<App />, root);
