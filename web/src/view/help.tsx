// Every key, and what the page can do besides.

import { Dialog } from "./dialog";
import { keysOf, viewKeys } from "./keys";
import type { TabInfo } from "./tabs";

export function Help({ tabs, onClose }: { tabs: readonly TabInfo[]; onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="help">
        {tabs.length > 0 && <KeyList title="Views" keys={tabs.map((tab, i) => [String(i + 1), `${tab.name}: ${tab.title.toLowerCase()}`])} />}
        <KeyList title="Everywhere" keys={keysOf(tabs).map((key) => [key.keys.join(", "), key.text])} />
        {viewKeys.map(([view, keys]) => (
          <KeyList key={view} title={view} keys={keys} />
        ))}
      </div>
      <p class="quiet">The address of the page holds all that you chose: keep it or send it. No other host is ever asked for anything.</p>
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: ReadonlyArray<readonly [string, string]> }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
