// FlameCanvas: a FlameStage and a FlameInput as a component, with tooltip, and with a word on what is too narrow to be seen.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CallTree } from "../model/call_tree";
import { count } from "../model/format";
import type { FrameFacts } from "./frame_facts";
import { FlameInput, type FlameActions } from "./flame_input";
import { FlameStage, type FlameModel } from "./flame_stage";
import { Tooltip, type Tip } from "./tooltip";

export interface FlameCanvasProps {
  readonly label: string; // for screen readers
  readonly model: FlameModel;
  readonly factsOf: (node: number) => FrameFacts;
  readonly actions: Omit<FlameActions, "hover">;
}

export function FlameCanvas(props: FlameCanvasProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const stage = useRef<FlameStage | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const [narrow, setNarrow] = useState(0);
  // The stage lives as long as the component; what its input does is looked up when it happens.
  const latest = useRef(props);
  latest.current = props;

  // Before the browser goes on: an effect that comes late would take back what a key has moved meanwhile.
  useLayoutEffect(() => {
    const made = new FlameStage(scroller.current!, canvas.current!, spacer.current!, latest.current.model, setNarrow);
    const input = new FlameInput(made, {
      select: (node) => latest.current.actions.select(node),
      zoom: (node) => latest.current.actions.zoom(node),
      range: (range) => latest.current.actions.range(range),
      hover: (node, x, y) => setTip(node < 0 ? null : { facts: latest.current.factsOf(node), x, y }),
    });
    stage.current = made;
    return () => {
      input.dispose();
      made.dispose();
    };
  }, []);

  useLayoutEffect(() => stage.current?.show(props.model), [props.model]);
  const { selected, tree } = props.model;
  const treeBefore = useRef<CallTree | null>(null);
  useLayoutEffect(() => {
    // A tree that grows gives its nodes other numbers: that is no reason to move the view under somebody's eyes.
    if (selected >= 0 && (treeBefore.current === null || treeBefore.current === tree)) stage.current?.scrollToNode(selected);
    treeBefore.current = tree;
  }, [selected, tree]);

  return (
    <div class="flame">
      <div class="scroller" ref={scroller} tabIndex={0} role="application" aria-label={props.label}>
        <canvas class="canvas" ref={canvas} aria-hidden="true" />
        <div ref={spacer} />
      </div>
      {narrow > 0 && (
        <div class="narrow-note" title="They are drawn as hatched columns. Zoom in, or look at the Tree or the Top table.">
          {count(narrow)} {narrow === 1 ? "frame is" : "frames are"} narrower than a pixel
        </div>
      )}
      <Tooltip tip={tip} />
    </div>
  );
}
