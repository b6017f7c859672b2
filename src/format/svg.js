// Makes a drawn flame graph interactive: zoom, search, details, keyboard. Everything it needs is in the drawing itself:
// each frame's place in percent, and its title, whose lines are name, file and numbers. Without it the picture is still
// right, only still.
(() => {
  "use strict";
  const page = document.currentScript.ownerSVGElement;
  const graph = page.querySelector(".graph");
  const title = page.querySelector(".title");
  const command = page.querySelector("title").textContent;
  const footer = page.querySelector(".footer");
  const kRow = 18;
  const kControls = 40;
  const kDetails = 46;
  const kWide = 860;
  const someNotDrawn = footer.getAttribute("data-left-out") !== "0"; // a search cannot see those
  const graphTop = Number(graph.getAttribute("y"));
  const graphHeight = Number(graph.getAttribute("height"));
  const footerTop = Number(footer.getAttribute("data-y"));
  const footerHeight = Number(page.getAttribute("height")) - footerTop;

  const html = (tag, className, ...children) => {
    const element = document.createElementNS("http://www.w3.org/1999/xhtml", tag);
    if (className) element.setAttribute("class", className);
    element.append(...children);
    return element;
  };
  const svg = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);

  const frames = Array.from(graph.querySelectorAll(".f"), (element, index) => {
    const [name, file, numbers] = element.querySelector("title").textContent.split("\n");
    return {
      element, index, name, file, numbers,
      rect: element.querySelector("rect"),
      text: element.querySelector("text"),
      x: parseFloat(element.getAttribute("x")),
      width: parseFloat(element.getAttribute("width")),
      row: Math.round(Number(element.getAttribute("y")) / kRow),
    };
  });
  const kProbe = "def process_request (handler.py:128)";
  const charWidth = measure(kProbe, "");
  const titleCharWidth = measure(kProbe, "title");
  const byElement = new Map(frames.map((frame) => [frame.element, frame]));
  const root = frames[0];
  let zoomed = root;
  let current = root; // the one frame that Tab stops at; arrow keys move it

  const input = html("input");
  input.type = "search";
  input.placeholder = "Search names and files (Ctrl-F)";
  input.setAttribute("aria-label", "Search names and files");
  const found = html("span", "found");
  found.setAttribute("role", "status");
  const reset = html("button", "", "Reset");
  reset.type = "button";
  reset.title = "Whole picture, no search (Escape)";
  const controls = svg("foreignObject");
  controls.append(html("div", "panel controls", input, found, reset));
  const what = html("div", "what");
  const how = html("div", "how");
  const details = svg("foreignObject");
  details.append(html("div", "panel details", what, how));
  page.insertBefore(controls, graph);
  page.append(details);
  page.classList.add("live");
  graph.setAttribute("role", "group");
  graph.setAttribute("aria-label", "Flame graph: arrow keys move, Enter zooms, Escape resets");

  // The width of a usual character. What is still too long is clipped by its frame.
  function measure(words, className) {
    const probe = svg("text");
    probe.setAttribute("class", className);
    probe.textContent = words;
    page.append(probe);
    const width = probe.getComputedTextLength() / words.length || 7;
    probe.remove();
    return width;
  }

  const fitted = (words, room) => (words.length <= room ? words : words.slice(0, Math.max(room - 1, 1)) + "…");

  function label(frame, width) {
    const room = Math.floor((width - 7) / charWidth);
    if (room < 2) return "";
    const [source] = frame.file.split(" · "); // what it was compiled into stands behind it
    const file = source.slice(source.lastIndexOf("/") + 1);
    const whole = file ? `${frame.name} (${file})` : frame.name;
    if (whole.length <= room) return whole;
    return fitted(frame.name, room);
  }

  const inside = (frame, outer) =>
    frame.x >= outer.x - 1e-6 && frame.x + frame.width <= outer.x + outer.width + 1e-6;

  function place(frame, x, width, pixels) {
    frame.element.setAttribute("x", x + "%");
    frame.element.setAttribute("width", width + "%");
    frame.element.classList.toggle("thin", (width / 100) * pixels < 3);
    const words = label(frame, (width / 100) * pixels);
    if (!frame.text && words) {
      frame.text = svg("text");
      frame.text.setAttribute("x", 4);
      frame.text.setAttribute("y", 13);
      frame.element.append(frame.text);
    }
    if (frame.text) frame.text.textContent = words;
  }

  function layout() {
    const width = page.getBoundingClientRect().width;
    const margin = width * 0.008; // as drawn
    const pixels = width - 2 * margin;
    const wide = width >= kWide;
    const shift = wide ? 0 : kControls;
    const controlsWidth = wide ? 420 : width - 2 * margin;
    setBox(controls, wide ? width - margin - controlsWidth : margin, wide ? 16 : graphTop - 6, controlsWidth, 34);
    title.textContent = fitted(command, Math.floor((pixels - (wide ? controlsWidth + 20 : 0)) / titleCharWidth));
    graph.setAttribute("y", graphTop + shift);
    footer.setAttribute("transform", `translate(0 ${footerTop + shift})`);
    const height = footerTop + shift + footerHeight + kDetails;
    page.setAttribute("height", Math.max(height, window.innerHeight));
    for (const frame of frames) {
      const above = frame.row < zoomed.row && inside(zoomed, frame);
      const below = frame.row >= zoomed.row && inside(frame, zoomed);
      frame.shown = above || below;
      frame.element.classList.toggle("above", above);
      if (frame.shown) frame.element.removeAttribute("display");
      else frame.element.setAttribute("display", "none");
      if (above) place(frame, 0, 100, pixels);
      else if (below) place(frame, ((frame.x - zoomed.x) / zoomed.width) * 100, (frame.width / zoomed.width) * 100, pixels);
    }
    reset.disabled = zoomed === root && !input.value;
    pin();
  }

  function setBox(element, x, y, width, height) {
    for (const [name, value] of Object.entries({ x, y, width, height })) element.setAttribute(name, value);
  }

  // The details stay at the lower edge of the window, however far the page is scrolled.
  function pin() {
    const box = page.getBoundingClientRect();
    const bottom = Math.min(box.height, window.innerHeight - box.top);
    setBox(details, 0, bottom - kDetails, box.width, kDetails);
  }

  function show(frame) {
    what.textContent = frame ? frame.name + (frame.file ? " — " + frame.file : "") : root.numbers;
    how.textContent = frame ? frame.numbers : "Click or Enter zooms, arrow keys move, Escape resets";
  }

  function focus(frame) {
    current.element.removeAttribute("tabindex");
    current.element.removeAttribute("role");
    current = frame;
    current.element.setAttribute("tabindex", "0");
    current.element.setAttribute("role", "button");
  }

  function zoom(frame) {
    zoomed = frame;
    layout();
  }

  function matcher(words) {
    try {
      const expression = new RegExp(words, "i");
      return (text) => expression.test(text);
    } catch {
      const plain = words.toLowerCase();
      return (text) => text.toLowerCase().includes(plain);
    }
  }

  // The share of the whole that is under a match; a match inside a match counts once. Frames are in the order of
  // drawing, each before those that it called.
  function search() {
    const words = input.value.trim();
    graph.classList.toggle("searched", words !== "");
    const matches = words ? matcher(words) : () => false;
    let covered = -1;
    let sum = 0;
    for (const frame of frames) {
      const hit = frame !== root && matches(frame.file ? `${frame.name} (${frame.file})` : frame.name);
      frame.element.classList.toggle("match", hit);
      if (!hit || frame.x + frame.width <= covered + 1e-6) continue;
      sum += frame.width;
      covered = frame.x + frame.width;
    }
    found.textContent = words ? `${someNotDrawn ? "≥ " : ""}${sum.toFixed(2)} %` : "";
    found.title = words ? "of all samples are in a matching frame or what it called" : "";
    reset.disabled = zoomed === root && !words;
  }

  function resetAll() {
    input.value = "";
    search();
    zoom(root);
    show(null);
  }

  function neighbour(frame, key) {
    const shown = frames.filter((other) => other.shown && other.width > 0);
    if (key === "ArrowUp") return shown.findLast((other) => other.row === frame.row - 1 && inside(frame, other));
    if (key === "ArrowDown") return shown.find((other) => other.row === frame.row + 1 && inside(other, frame));
    const row = shown.filter((other) => other.row === frame.row);
    return row[row.indexOf(frame) + (key === "ArrowRight" ? 1 : -1)];
  }

  const frameOf = (event) => byElement.get(event.target.closest?.(".f"));

  graph.addEventListener("click", (event) => {
    const frame = frameOf(event);
    if (!frame) return;
    focus(frame);
    zoom(frame);
  });
  graph.addEventListener("mouseover", (event) => show(frameOf(event)));
  graph.addEventListener("mouseleave", () => show(null));
  graph.addEventListener("focusin", (event) => show(frameOf(event)));
  graph.addEventListener("keydown", (event) => {
    const frame = frameOf(event);
    if (!frame) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      zoom(frame);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = neighbour(frame, event.key);
      if (!next) return;
      focus(next);
      next.element.focus();
    }
  });
  window.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "f" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape") {
      resetAll();
    }
  });
  input.addEventListener("input", search);
  reset.addEventListener("click", resetAll);
  window.addEventListener("resize", layout);
  window.addEventListener("scroll", pin, { passive: true });

  focus(root);
  show(null);
  layout();
})();
