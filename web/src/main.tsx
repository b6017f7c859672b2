// Where the page begins: with a recording inside, or served.

import { render } from "preact";
import { ServerApp } from "./server/server_app";
import { embeddedElements } from "./state/embedded";
import { followTheme } from "./state/theme";
import "./style.css";
import { EmbeddedApp } from "./view/embedded_app";
import { FailurePage } from "./view/notices";

function App() {
  const elements = embeddedElements();
  if (elements.length > 0) return <EmbeddedApp elements={elements} />;
  if (document.querySelector('meta[name="flametap-server"]') !== null) return <ServerApp />;
  return <FailurePage failure={{ error: "This page has no recording inside.", remedy: "Make one: flametap record -o page.html -- python3 program.py" }} />;
}

followTheme();
const place = document.getElementById("app")!;
place.replaceChildren(); // what stands there says that the page is not complete
render(<App />, place);
