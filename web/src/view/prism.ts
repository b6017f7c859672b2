// Prism with Python alone. Its languages expect Prism to be global.

import "./prism_global";
import "prismjs/components/prism-python";
import Prism from "prismjs/components/prism-core";

export { Prism };
