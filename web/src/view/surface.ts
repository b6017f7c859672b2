// Surface: a canvas of the size of the view that scrolls over it, sharp on every screen, drawn at most once per frame and
// only if something changed. The owner draws; a spacer behind the canvas gives the scroll bar its length.

export type Draw = (context: CanvasRenderingContext2D, surface: Surface) => void;

export class Surface {
  private readonly context: CanvasRenderingContext2D;
  private readonly observer: ResizeObserver;
  private frame = 0;
  private contentHeight = 0;
  private lastWidth = 0;
  private lastHeight = 0;
  fromBottom = false; // what is at the bottom stays there when the size changes

  constructor(
    readonly scroller: HTMLElement,
    readonly canvas: HTMLCanvasElement,
    private readonly spacer: HTMLElement,
    private readonly draw: Draw,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(scroller);
    scroller.addEventListener("scroll", this.invalidate, { passive: true });
    this.resize();
  }

  get width(): number {
    return this.lastWidth;
  }

  get height(): number {
    return this.lastHeight;
  }

  get scrollTop(): number {
    return this.scroller.scrollTop;
  }

  measure(font: string): (text: string) => number {
    const { context } = this;
    return (text) => {
      context.font = font;
      return context.measureText(text).width;
    };
  }

  readonly invalidate = (): void => {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  };

  setContentHeight(height: number): void {
    this.contentHeight = height;
    this.spacer.style.height = `${Math.max(0, height - this.lastHeight)}px`;
  }

  scrollTo(top: number): void {
    this.scroller.scrollTop = top;
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.scroller.removeEventListener("scroll", this.invalidate);
  }

  private resize(): void {
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    if (width !== this.lastWidth || height !== this.lastHeight) {
      const below = Math.max(0, Math.max(this.contentHeight, this.lastHeight) - this.lastHeight - this.scrollTop);
      this.lastWidth = width;
      this.lastHeight = height;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
      this.setContentHeight(this.contentHeight);
      if (this.fromBottom) this.scrollTo(this.scroller.scrollHeight - height - below);
    }
    this.invalidate();
  }

  private paint(): void {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.lastWidth * ratio));
    const height = Math.max(1, Math.round(this.lastHeight * ratio));
    // Setting the size clears the canvas and costs: only when it is another one.
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw(this.context, this);
  }
}
