// Comes before any language of Prism: see prism.ts.

import Prism from "prismjs/components/prism-core";

Prism.manual = true; // it would look through the page for code otherwise
(globalThis as { Prism?: unknown }).Prism = Prism;
