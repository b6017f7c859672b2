// What there is to say about one box, in words: for the tooltip, the line below the graph, and screen readers.

import { noFunction, type CallTree } from "../model/call_tree";
import * as format from "../model/format";
import { nodeName } from "../model/stack_text";
import type { Recording } from "../recording/recording";

export interface Fact {
  readonly name: string;
  readonly text: string;
}

export interface FrameFacts {
  readonly name: string;
  readonly place: string; // file:line, or the module; empty: none
  readonly facts: readonly Fact[];
}

export function frameFacts(recording: Recording, tree: CallTree, node: number): FrameFacts {
  const { unit } = tree;
  const total = tree.total[node];
  const parent = tree.parent[node];
  const facts: Fact[] = [
    { name: "total", text: format.value(total, unit) },
    { name: "self", text: format.value(tree.self[node], unit) },
    { name: "of all", text: format.share(total, tree.total[0]) },
  ];
  if (parent > 0) facts.push({ name: tree.inverted ? "of callee" : "of caller", text: format.share(total, tree.total[parent]) });
  if (tree.inGc[node] > 0) facts.push({ name: "in gc", text: amount(tree.inGc[node], total, unit) });
  if (tree.waitingForGil[node] > 0) {
    facts.push({ name: "waiting for the GIL", text: amount(tree.waitingForGil[node], total, unit) });
  }
  return { name: nodeName(tree, recording, node), place: placeOf(recording, tree, node), facts };
}

export function spoken(facts: FrameFacts): string {
  const place = facts.place === "" ? "" : `, ${facts.place}`;
  return `${facts.name}${place}: ${facts.facts.map((fact) => `${fact.name} ${fact.text}`).join(", ")}`;
}

function amount(part: number, whole: number, unit: CallTree["unit"]): string {
  return `${format.value(part, unit)} (${format.share(part, whole)})`;
}

function placeOf(recording: Recording, tree: CallTree, node: number): string {
  const number = tree.function[node];
  if (number === noFunction || number >= recording.functions.count) return "";
  const { functions, strings } = recording;
  const file = strings[functions.file[number]];
  const line = tree.line[node] || functions.firstLine[number];
  if (file !== "") return line > 0 ? `${file}:${line}` : file;
  return strings[functions.module[number]] ?? "";
}
