// Python source as lines of coloured words. Prism finds the words; the page makes text nodes of them, never markup.

import { Prism } from "./prism";

export interface Word {
  readonly text: string;
  readonly kind: string; // "": plain
}

const longest = 1_000_000; // characters: longer files are shown without colours
const longestLine = 2_000; // the rest of a line is left out

export function highlight(text: string): readonly (readonly Word[])[] {
  const lines: Word[][] = [[]];
  const add = (content: string, kind: string) => {
    content.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part !== "") lines[lines.length - 1].push({ text: part.replace(/\r$/, ""), kind });
    });
  };
  const visit = (tokens: Prism.TokenStream, kind: string) => {
    if (typeof tokens === "string") add(tokens, kind);
    else if (Array.isArray(tokens)) for (const token of tokens) visit(token, kind);
    else visit(tokens.content, tokens.type);
  };
  if (text.length > longest) add(text, "");
  else visit(Prism.tokenize(text, Prism.languages.python), "");
  return lines.map(cutLine);
}

function cutLine(words: readonly Word[]): readonly Word[] {
  let room = longestLine;
  const cut: Word[] = [];
  for (const word of words) {
    if (word.text.length > room) return [...cut, { text: `${word.text.slice(0, room)}…`, kind: word.kind }];
    room -= word.text.length;
    cut.push(word);
  }
  return cut;
}
