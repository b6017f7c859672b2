// The facts of the box under the pointer, beside the pointer and never outside of the page.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { FrameFacts } from "./frame_facts";

export interface Tip {
  readonly facts: FrameFacts;
  readonly x: number;
  readonly y: number;
}

const gap = 14;

export function Tooltip({ tip }: { tip: Tip | null }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (tip === null || box.current === null) return;
    const { offsetWidth: width, offsetHeight: height } = box.current;
    const left = tip.x + gap + width > window.innerWidth ? tip.x - gap - width : tip.x + gap;
    const top = tip.y + gap + height > window.innerHeight ? tip.y - gap - height : tip.y + gap;
    box.current.style.left = `${Math.max(4, left)}px`;
    box.current.style.top = `${Math.max(4, top)}px`;
  }, [tip]);
  if (tip === null) return null;
  return (
    <div class="tooltip" ref={box} aria-hidden="true">
      <div class="tooltip-name">{tip.facts.name}</div>
      {tip.facts.place !== "" && <div class="tooltip-place">{tip.facts.place}</div>}
      <dl class="facts">
        {tip.facts.facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
