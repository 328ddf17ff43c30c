import { createRoot } from "react-dom/client";
import { App } from "./App";
import { takeToken } from "./wire/api";
import "./style/tokens.css";
import "./style/page.css";
import "./style/run.css";
import "./style/screens.css";
import "./style/voices.css";
import "./style/narrow.css";
import "./style/print.css";

takeToken();
const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
