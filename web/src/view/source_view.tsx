// Files with what their lines took. The text of a file is in the recording, or only those lines are shown that are known.

import { useComputed } from "@preact/signals";
import { share, value } from "../model/format";
import { sourceHeat, type SourceFile, type SourceHeat } from "../model/source";
import type { ProfileStore } from "../state/profile_store";
import { NothingSelected } from "./flame_view";
import { heat } from "./function_table";
import { highlight, type Word } from "./highlight";
import { ColumnHead, VirtualGrid } from "./virtual_grid";

export function SourceView({ store }: { store: ProfileStore }) {
  const heats = useComputed(() => sourceHeat(store.recording.value, store.selection.value));
  if (heats.value.whole <= 0) return <NothingSelected store={store} />;
  const { files } = heats.value;
  const chosen = files.findIndex((file) => file.file === store.state.value.file);
  const shown = files[Math.max(0, chosen)];
  return (
    <div class="view split">
      <FileTable store={store} heats={heats.value} active={Math.max(0, chosen)} />
      {shown === undefined ? (
        <div class="empty">
          <p>No selected sample has a source file.</p>
        </div>
      ) : (
        <CodeTable key={shown.file} store={store} file={shown} heats={heats.value} />
      )}
    </div>
  );
}

function FileTable({ store, heats, active }: { store: ProfileStore; heats: SourceHeat; active: number }) {
  const { files, whole, unit } = heats;
  const { strings } = store.recording.value;
  return (
    <VirtualGrid
      role="grid"
      label="Files"
      className="file-grid"
      count={files.length}
      active={active}
      head={
        <>
          <ColumnHead name="Self" className="cell-number" />
          <ColumnHead name="of all" className="cell-share" />
          <ColumnHead name="File" className="cell-name" />
        </>
      }
      row={(index) => {
        const { file, self } = files[index];
        const path = strings[file];
        return (
          <>
            <div role="gridcell" class="cell-number">{value(self, unit)}</div>
            <div role="gridcell" class="cell-share" style={{ background: heat(self, whole) }}>{share(self, whole)}</div>
            <div role="gridcell" class="cell-name" title={path}>
              {path.slice(path.lastIndexOf("/") + 1)} <span class="quiet">{path.slice(0, Math.max(0, path.lastIndexOf("/")))}</span>
            </div>
          </>
        );
      }}
      onActive={(index) => store.change({ file: files[index].file, line: 0 }, "same")}
    />
  );
}

interface CodeLine {
  readonly number: number;
  readonly words: readonly Word[];
  readonly at: number; // in the SourceFile; -1: nothing is known of it
}

function CodeTable({ store, file, heats }: { store: ProfileStore; file: SourceFile; heats: SourceHeat }) {
  const recording = store.recording.value;
  const text = recording.sources.get(file.file);
  const lines = useComputed(() => (text === undefined ? [] : highlight(text)));
  const rows = text === undefined ? knownLines(file) : allLines(file, lines.value);
  const wanted = store.state.value.line || hottest(file);
  return (
    <div class="code">
      <p class="code-head">
        <span class="code-path">{recording.strings[file.file]}</span>
        {text === undefined && <span class="quiet"> Its text is not in the recording (record with --sources): only lines with samples are listed.</span>}
      </p>
      <VirtualGrid
        role="grid"
        label={`Lines of ${recording.strings[file.file]}`}
        className="code-grid"
        count={rows.length}
        active={rows.findIndex((row) => row.number === wanted)}
        head={
          <>
            <ColumnHead name="Total" className="cell-share" title="While the line was on the stack" />
            <ColumnHead name="Self" className="cell-share" title="While the line itself ran" />
            <ColumnHead name="Line" className="cell-line" />
            <ColumnHead name="Source" className="cell-code" />
          </>
        }
        row={(index) => <CodeCells line={rows[index]} file={file} heats={heats} />}
        onActive={(index) => store.change({ file: file.file, line: rows[index].number }, "same")}
      />
    </div>
  );
}

function CodeCells({ line, file, heats }: { line: CodeLine; file: SourceFile; heats: SourceHeat }) {
  const self = line.at < 0 ? 0 : file.lineSelf[line.at];
  const total = line.at < 0 ? 0 : file.lineTotal[line.at];
  const amount = (part: number) => (part > 0 ? share(part, heats.whole) : "");
  const title = (part: number) => (part > 0 ? value(part, heats.unit) : undefined);
  return (
    <>
      <div role="gridcell" class="cell-share" title={title(total)} style={{ background: heat(total, heats.whole) }}>{amount(total)}</div>
      <div role="gridcell" class="cell-share" title={title(self)} style={{ background: heat(self, heats.whole) }}>{amount(self)}</div>
      <div role="gridcell" class="cell-line">{line.number === 0 ? "?" : line.number}</div>
      <div role="gridcell" class="cell-code">
        {line.words.map((word, i) => (
          <span key={i} class={word.kind === "" ? undefined : `word-${word.kind}`}>
            {word.text}
          </span>
        ))}
      </div>
    </>
  );
}

function knownLines(file: SourceFile): CodeLine[] {
  return Array.from(file.lines, (number, at) => ({ number, words: [], at }));
}

function allLines(file: SourceFile, lines: readonly (readonly Word[])[]): CodeLine[] {
  const places = new Map(Array.from(file.lines, (number, at) => [number, at]));
  const rows = lines.map((words, i) => ({ number: i + 1, words, at: places.get(i + 1) ?? -1 }));
  // A file that was changed since may have had more lines; and of some calls the line is not known.
  const others = knownLines(file).filter(({ number }) => number === 0 || number > lines.length);
  return [...rows, ...others];
}

function hottest(file: SourceFile): number {
  let best = 0;
  for (let i = 1; i < file.lines.length; i++) if (file.lineSelf[i] > file.lineSelf[best]) best = i;
  return file.lines[best] ?? 0;
}
