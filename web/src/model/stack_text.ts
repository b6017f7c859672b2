// Frames and stacks as text, as flametap writes them elsewhere: "name (file:line)".
import type { Recording } from "../recording/recording";
import { type CallTree, noFunction } from "./call_tree";

// Names come from the memory of a program: anything may stand in them.
const controlCharacters = /[\u0000-\u001f\u007f]/g;

function clean(text: string): string {
  return text.replace(controlCharacters, " ");
}

/** Without the line if it is not known (0), and the bare name if there is no file. */
export function frameText(recording: Recording, functionNumber: number, line: number): string {
  const { name, file } = recording.functions;
  const text = clean(recording.strings[name[functionNumber]]);
  const path = clean(recording.strings[file[functionNumber]]);
  if (path === "") return text;
  return line > 0 ? `${text} (${path}:${line})` : `${text} (${path})`;
}

/** The bare name of a node: of its function, its thread or its process. */
export function nodeName(tree: CallTree, recording: Recording, node: number): string {
  const functionNumber = tree.function[node];
  if (functionNumber === noFunction) return clean(tree.labels[tree.label[node]]);
  return clean(recording.strings[recording.functions.name[functionNumber]]);
}

export function nodeText(tree: CallTree, recording: Recording, node: number): string {
  const functionNumber = tree.function[node];
  if (functionNumber === noFunction) return nodeName(tree, recording, node);
  const line = tree.line[node] > 0 ? tree.line[node] : recording.functions.firstLine[functionNumber];
  return frameText(recording, functionNumber, line);
}

/** The nodes from below the root to this one, in the order in which they are drawn. */
export function pathOf(tree: CallTree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** The stack of a node, a line for each frame, the outermost call first (of an inverted tree, too). */
export function stackText(tree: CallTree, recording: Recording, node: number): string {
  const path = pathOf(tree, node);
  const isLabel = (at: number) => tree.function[at] === noFunction;
  const labels = path.filter(isLabel);
  const calls = path.filter((at) => !isLabel(at));
  if (tree.inverted) calls.reverse();
  return [...labels, ...calls].map((at) => nodeText(tree, recording, at)).join("\n");
}
