// The profile as a file, in every format.

import { useSignal } from "@preact/signals";
import { Menu } from "../view/menu";
import { formats, type Api, type Format } from "./api";
import { failureText } from "./failure";

const about: Readonly<Record<Format, readonly [ending: string, text: string]>> = {
  html: ["html", "this page, as a file"],
  svg: ["svg", "a picture"],
  ftap: ["ftap", "the recording, as it is"],
  json: ["json", "everything, as text"],
  folded: ["folded", "stacks, a line each"],
  speedscope: ["speedscope.json", "for speedscope"],
  pprof: ["pb.gz", "for pprof"],
  chrome: ["trace.json", "for trace viewers"],
  cpuprofile: ["cpuprofile", "for developer tools"],
};

export function DownloadMenu({ api, id, name }: { api: Api; id: string; name: string }) {
  const trouble = useSignal("");
  const download = async (format: Format) => {
    trouble.value = "";
    try {
      saveAs(await api.download(id, format), `${name.replace(/\.ftap$/, "") || id}.${about[format][0]}`);
    } catch (error) {
      trouble.value = failureText(error);
    }
  };
  return (
    <Menu label="Download" title="Download the profile">
      <ul class="downloads">
        {formats.map((format) => (
          <li key={format}>
            <button type="button" class="plain" onClick={() => void download(format)}>
              <strong>{format}</strong> <span class="quiet">{about[format][1]}</span>
            </button>
          </li>
        ))}
      </ul>
      {trouble.value !== "" && <p class="error" role="alert">{trouble.value}</p>}
    </Menu>
  );
}

function saveAs(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name.replace(/[/\\\0]/g, "_");
  link.click();
  // The browser has to begin with it first.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
