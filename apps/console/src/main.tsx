import { start } from "./app/front/start.tsx";
import "./styles.css";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no element with the id root.");
await start(container);
