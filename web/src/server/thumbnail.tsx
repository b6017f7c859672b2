// A small picture of a profile. It is fetched when it comes into view, and shown from memory: an image of the page itself
// could not send the token.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Api } from "./api";

export function Thumbnail({ api, id }: { api: Api; id: string }) {
  const box = useRef<HTMLSpanElement>(null);
  const url = useSignal("");
  useEffect(() => {
    let made = "";
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      // Without a picture the list is as useful.
      api.thumbnail(id).then(
        (blob) => (url.value = made = URL.createObjectURL(blob)),
        () => {},
      );
    });
    observer.observe(box.current!);
    return () => {
      observer.disconnect();
      URL.revokeObjectURL(made);
    };
  }, [id]);
  return (
    <span class="thumbnail" ref={box}>
      {url.value !== "" && <img src={url.value} alt="" />}
    </span>
  );
}
